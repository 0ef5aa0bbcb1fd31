#!/bin/sh
# Foreign programs on build/librungs_mpi.so: with every rung, with threads, with wrong settings. The same programs run without it,
# too (tests/mpi/test_dropin_mpi.c), and find a library with broken rungs broken.
# Thorough: runs every foreign program with every rung.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/../cli/program.sh"
build=${rungs%/rungs}
library=$build/librungs_mpi.so
variables='RUNGS_ALLREDUCE RUNGS_REDUCE RUNGS_BROADCAST RUNGS_REDUCE_SCATTER RUNGS_ALL_GATHER RUNGS_ALL_TO_ALL RUNGS_BARRIER'
routine_of() {
    case $1 in
    RUNGS_ALLREDUCE) echo MPI_Allreduce ;;
    RUNGS_REDUCE) echo MPI_Reduce ;;
    RUNGS_BROADCAST) echo MPI_Bcast ;;
    RUNGS_REDUCE_SCATTER) echo MPI_Reduce_scatter ;;
    RUNGS_ALL_GATHER) echo MPI_Allgather ;;
    RUNGS_ALL_TO_ALL) echo MPI_Alltoall ;;
    RUNGS_BARRIER) echo MPI_Barrier ;;
    esac
}
export OMPI_MCA_mpi_yield_when_idle=1 # more ranks than cores

# shellcheck disable=SC2086
unset $variables RUNGS_RANKS_PER_NODE RUNGS_MPI_VERBOSE

# run RANKS PROGRAM [VARIABLE=VALUE..]: on $library. $arguments: of the program.
arguments=
run() {
    ranks=$1 program=$build/tests/mpi/$2
    shift 2
    status=0
    # shellcheck disable=SC2086
    timeout 120 sh tools/mpirun.sh "$ranks" env LD_PRELOAD="$library" "$@" "$program" $arguments >"$folder/out" 2>"$folder/err" || status=$?
    [ "$status" = 0 ]
}
# said TEXT: on exactly one line of stderr.
said() { [ "$(grep -c "$1" "$folder/err")" = 1 ]; }

exports_its_names() {
    nm -D --defined-only "$library" | awk '$2 ~ /[TDBRVWi]/ { print $3 }' | sort >"$folder/out"
    {
        printf 'MPI_Init\nMPI_Init_thread\nMPI_Reduce_scatter_block\n'
        for variable in $variables; do
            routine_of "$variable"
        done
    } | sort | cmp -s - "$folder/out"
}
is_quiet() { run 3 test_dropin_mpi A=b && ! grep -v '^mpirun: ' "$folder/err"; }
programs_pass() { run "$1" test_dropin_mpi "$2" && run "$1" test_dropin_guest_mpi "$2"; }

# The library itself lists its rungs, when it is given a name that is none: a line for each variable, "RUNGS_BARRIER central ..".
list_rungs() {
    # shellcheck disable=SC2046,SC2086
    run 3 dropin_threads $(printf ' %s=?' $variables) || return 1
    for variable in $variables; do
        said "^librungs_mpi: $variable is \"?\", which is none of" || return 1
    done
    sed -n 's/^librungs_mpi: \([A-Z_]*\) is "?", which is none of \(.*\) (it is ignored)$/\1 \2/p' "$folder/err" >"$folder/rungs"
}
# Every ladder's rung of that number, or its last.
rungs_of_number() { awk -v i="$1" '{ print $1 "=" (i + 1 <= NF ? $(i + 1) : $NF) }' "$folder/rungs"; }
is_reported() { # VARIABLE=RUNG, for which some lengths may be refused, then by all ranks
    grep -Eq "^librungs_mpi: rank 0: $(routine_of "${1%=*}"): ([1-9][0-9]* taken over, the last by ${1#*=}|0 taken over), [0-9]+ left" \
        "$folder/err"
}
rungs_pass() { # RANKS NUMBER
    # shellcheck disable=SC2046
    run "$1" test_dropin_mpi RUNGS_MPI_VERBOSE=1 $(rungs_of_number "$2") || return 1
    for choice in $(rungs_of_number "$2"); do
        is_reported "$choice" || return 1
    done
}
mistyped_rung_is_said_once() {
    run 3 test_dropin_mpi RUNGS_ALLREDUCE=niave && [ "$(grep -vc '^mpirun: ' "$folder/err")" = 1 ] && said 'did you mean naive?'
}
mistyped_nodes_are_said_once() { run 3 test_dropin_mpi RUNGS_RANKS_PER_NODE=x && said 'RUNGS_RANKS_PER_NODE is "x", expected'; }

# 3 threads, 200 rounds each; as many bytes as there are on other ranks decide, so all calls are taken over.
threads_pass() { run 3 dropin_threads "$1" RUNGS_MPI_VERBOSE=1 && grep -Eqx 'right|skipped: .*' "$folder/out"; }
calls_are_counted() {
    run 3 dropin_threads RUNGS_MPI_VERBOSE=1 RUNGS_ALLREDUCE=naive || return 1
    for routine in MPI_Allreduce MPI_Bcast MPI_Barrier; do
        said "^librungs_mpi: rank 0: $routine: 600 taken over, the last by [a-z_]*, 0 left to the library\$" || return 1
    done
}

# Rank 0 on another rung: nobody may wait for ever.
disagreement_ends_all() {
    # The launcher's variable is for the shell of each rank.
    # shellcheck disable=SC2016
    timeout 60 sh tools/mpirun.sh 3 env LD_PRELOAD="$library" PROGRAM="$build/tests/mpi/test_dropin_mpi" sh -c \
        '[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-1}}" != 0 ] || export RUNGS_ALLREDUCE=naive RUNGS_BARRIER=central; exec "$PROGRAM"' \
        >"$folder/out" 2>"$folder/err" && return 1
    status=$?
    [ "$status" != 124 ] && grep -q '^rungs: rank [012]: .*RUNGS_.. are not the same on all ranks' "$folder/err"
}

# Each of these runs on the MPI library itself: with $library empty.
is_right() { # RANKS PROGRAM [NUMBER]
    arguments="$2 ${3:-}"
    run "$1" dropin_order A=b
    arguments=
    [ "$status" = 0 ] && grep -qx right "$folder/out"
}
is_right_on_both() { (library='' && is_right "$@") && is_right "$@"; }

# A CUDA driver that is none, whose memory the host cannot touch; loaded before MPI_Init, or by the program after it.
vectors_on_devices() {
    for driver in "$build/tests/mpi/libcuda_fake.so" ''; do
        arguments=$build/tests/mpi/libcuda_fake.so
        preload=$library
        library=$library:$driver
        run 3 dropin_device RUNGS_MPI_VERBOSE=1
        library=$preload arguments=
        [ "$status" = 0 ] && grep -qx right "$folder/out" && ! grep -q ' [1-9][0-9]* left to' "$folder/err" || return 1
    done
}

# Random programs (make mpi-fuzz): a fixed seed, so that a test that has passed passes again; on 1 rank all is the library's.
fuzz_passes() { # RANKS SECONDS VARIABLE=VALUE
    arguments="$2 4711"
    run "$1" fuzz_dropin "$3"
    arguments=
    [ "$status" = 0 ] && grep -Eq '^fuzz_dropin: SEED=4711: .* all right' "$folder/out"
}
fuzz_repeats() { # the same round goes wrong in the same step
    (
        library=$build/tests/mpi/librungs_mpi_wrong.so
        for _ in 1 2; do
            fuzz_passes 3 1 A=b && exit 1
            sed -n 's/^fuzz_dropin: .*: step \([0-9]*\) of SEED=4711: .* is wrong$/\1/p' "$folder/err" | sort -n | head -n 1 >>"$folder/steps"
        done
        [ "$(wc -l <"$folder/steps")" = 2 ] && [ "$(uniq "$folder/steps" | wc -l)" = 1 ]
    )
}

# make bench-communicators: here only that sums are right, and that it says how long they took.
lives_are_timed() {
    arguments=3
    run 3 dropin_lives A=b
    arguments=
    [ "$status" = 0 ] && grep -Eq '^dup, all-reduce, free: [0-9.]+ us, .* times as long' "$folder/out"
}

# A container's /dev/shm, for these ranks alone.
small_memory() { unshare -m sh -c 'mount -t tmpfs -o size=64m tmpfs /dev/shm && exec "$@"' sh "$@"; }
many_fit_into_a_container() {
    small_memory timeout 60 sh tools/mpirun.sh 4 env LD_PRELOAD="$library" RUNGS_MPI_VERBOSE=1 "$build/tests/mpi/dropin_order" live 200 \
        >"$folder/out" 2>"$folder/err" && grep -qx right "$folder/out" && said 'MPI_Allreduce: 400 taken over'
}
too_long_vectors_are_refused() {
    small_memory timeout 60 sh tools/mpirun.sh 4 "$rungs" bench allreduce --in-window --sizes 64M --rungs mpi --rounds 1 \
        >"$folder/out" 2>"$folder/err" && return 1
    said '^rungs bench allreduce: --in-window: [0-9]* bytes for each rank .* are more than there is'
}

# Only the ranks of a list load the library.
silent_ranks_are_named() { # RANKS, THE OTHERS
    # shellcheck disable=SC2016
    timeout 60 sh tools/mpirun.sh 4 env SOME="$1" LIBRARY="$library" PROGRAM="$build/tests/mpi/dropin_order" sh -c \
        'case $SOME in *${OMPI_COMM_WORLD_RANK:-$PMI_RANK}*) export LD_PRELOAD=$LIBRARY ;; esac; exec "$PROGRAM" send' \
        >"$folder/out" 2>"$folder/err" && return 1
    said "^librungs_mpi: [123] of 4 ranks have not loaded this library, .*: $2; give all of them LD_PRELOAD"
}

every_routine_is_rejected() {
    library=$build/tests/mpi/librungs_mpi_wrong.so
    run 3 test_dropin_mpi && return 1
    for test in allreduce reduce bcast reduce_scatter allgather alltoall; do
        grep -q "^FAILED ${test}_is_exact" "$folder/out" || return 1
    done
    grep -q '^FAILED nobody_leaves_a_barrier_early' "$folder/out"
}

if [ ! -e "$library" ] || grep -q __asan_init "$library"; then
    skipped=1
    echo "skipped the drop-in library for MPI: this build has none, or one with AddressSanitizer, which foreign programs cannot load"
    finish "mpi/dropin"
    exit
fi
if command -v nm >/dev/null 2>&1; then
    check "exactly the ten routines are exported" exports_its_names
fi
check "nothing is printed unasked" is_quiet
for ranks in 1 2 3 4 7; do
    check "programs are right on $ranks ranks" programs_pass $ranks A=b
done
check "programs are right on nodes of two ranks" programs_pass 4 RUNGS_RANKS_PER_NODE=2
check "the library lists its rungs" list_rungs
for number in $(awk '{ if (NF - 1 > most) most = NF - 1 } END { for (i = 1; i <= most; i++) print i }' "$folder/rungs"); do
    check "rung $number of every ladder is right on 3 ranks" rungs_pass 3 "$number"
    check "rung $number of every ladder is right on 4 ranks" rungs_pass 4 "$number"
done
check "a mistyped rung gets one sentence, and right results" mistyped_rung_is_said_once
check "a mistyped number gets one sentence, and right results" mistyped_nodes_are_said_once
check "threads may call at the same time" threads_pass A=b
check "calls are counted" calls_are_counted
check "ranks on different rungs end with a sentence" disagreement_ends_all
for order in free send broadcast reduce empty subsets spawn; do
    check "what ranks do in another order than others is right: $order, 2 ranks" is_right_on_both 2 $order
    check "what ranks do in another order than others is right: $order, 4 ranks" is_right_on_both 4 $order
done
check "sums wrap around, and MPI_OFFSET has a sign" is_right 3 wrap
check "vectors may lie on a device, on all ranks or some" vectors_on_devices
check "communicators that live for one call" lives_are_timed
check "200 communicators live at the same time" is_right_on_both 3 live 200
if small_memory true 2>/dev/null; then
    check "200 communicators live in a small /dev/shm" many_fit_into_a_container
    check "what a small /dev/shm cannot hold is refused" too_long_vectors_are_refused
else
    skipped=$((skipped + 2))
    echo "skipped what a small /dev/shm holds: mount is not permitted here"
fi
for ranks in 1 2 3 4; do
    check "random programs are right on $ranks ranks" fuzz_passes $ranks 1 A=b
done
check "random programs are right on nodes of two ranks" fuzz_passes 4 1 RUNGS_RANKS_PER_NODE=2
check "random programs are right on the library itself" eval "(library='' && fuzz_passes 3 1 A=b)"
check "random programs find broken rungs, twice in the same step" fuzz_repeats
check "ranks without the library are named: all but the first" silent_ranks_are_named 0 '1 2 3'
check "ranks without the library are named: the first and the last" silent_ranks_are_named '1 2' '0 3'
check "broken rungs are noticed in every routine" every_routine_is_rejected
finish "mpi/dropin"
