#!/bin/sh
# Foreign programs on build/librungs_mpi.so: with every rung, with threads, with wrong settings. The same programs run without it,
# too (tests/mpi/test_dropin_mpi.c), and find a library with broken rungs broken.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/../cli/program.sh"
build=${rungs%/rungs}
library=$build/librungs_mpi.so
unset RUNGS_ALLREDUCE RUNGS_REDUCE RUNGS_BROADCAST RUNGS_REDUCE_SCATTER RUNGS_ALL_GATHER RUNGS_ALL_TO_ALL RUNGS_BARRIER
unset RUNGS_RANKS_PER_NODE RUNGS_MPI_VERBOSE
routines='MPI_Allgather MPI_Allreduce MPI_Alltoall MPI_Barrier MPI_Bcast MPI_Reduce MPI_Reduce_scatter'
export OMPI_MCA_mpi_yield_when_idle=1 # more ranks than cores

# run RANKS PROGRAM [VARIABLE=VALUE..]: on $library.
run() {
    ranks=$1 program=$build/tests/mpi/$2
    shift 2
    status=0
    timeout 120 sh tools/mpirun.sh "$ranks" env LD_PRELOAD="$library" "$@" "$program" >"$folder/out" 2>"$folder/err" || status=$?
    [ "$status" = 0 ]
}
# said TEXT: on exactly one line of stderr.
said() { [ "$(grep -c "$1" "$folder/err")" = 1 ]; }

exports_eight_names() {
    nm -D --defined-only "$library" | awk '$2 ~ /[TDBRVWi]/ { print $3 }' | sort >"$folder/out"
    printf '%s\n' $routines MPI_Reduce_scatter_block | sort | cmp -s - "$folder/out"
}
is_quiet() { run 3 test_dropin_mpi A=b && ! grep -v '^mpirun: ' "$folder/err"; }
programs_pass() { run "$1" test_dropin_mpi "$2" && run "$1" test_dropin_guest_mpi "$2"; }

# The library itself lists its rungs, when it is given a name that is none.
rungs_of() {
    run 3 dropin_threads "$1=?" && said "librungs_mpi: $1 is \"?\", which is none of" &&
        sed -n "s/.*$1 is \"?\", which is none of \(.*\) (it is ignored)/\1/p" "$folder/err" >"$folder/rungs"
}
rung_passes() { # RANKS VARIABLE ROUTINE RUNG
    run "$1" test_dropin_mpi RUNGS_MPI_VERBOSE=1 "$2=$4" &&
        grep -Eq "^librungs_mpi: rank 0: $3: ([1-9][0-9]* taken over, the last by $4|0 taken over), [0-9]+ left" "$folder/err"
}
every_rung_passes() {
    rungs_of "$1" || return 1
    for rung in $(cat "$folder/rungs"); do
        rung_passes 3 "$1" "$2" "$rung" && rung_passes 4 "$1" "$2" "$rung" || return 1
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
    check "exactly the eight routines are exported" exports_eight_names
fi
check "nothing is printed unasked" is_quiet
for ranks in 1 2 3 4 7; do
    check "programs are right on $ranks ranks" programs_pass $ranks A=b
done
check "programs are right on nodes of two ranks" programs_pass 4 RUNGS_RANKS_PER_NODE=2
for pair in ALLREDUCE:MPI_Allreduce REDUCE:MPI_Reduce BROADCAST:MPI_Bcast REDUCE_SCATTER:MPI_Reduce_scatter \
    ALL_GATHER:MPI_Allgather ALL_TO_ALL:MPI_Alltoall BARRIER:MPI_Barrier; do
    check "RUNGS_${pair%:*}: every rung is right" every_rung_passes "RUNGS_${pair%:*}" "${pair#*:}"
done
check "a mistyped rung gets one sentence, and right results" mistyped_rung_is_said_once
check "a mistyped number gets one sentence, and right results" mistyped_nodes_are_said_once
check "threads may call at the same time" threads_pass A=b
check "calls are counted" calls_are_counted
check "ranks on different rungs end with a sentence" disagreement_ends_all
check "broken rungs are noticed in every routine" every_routine_is_rejected
finish "mpi/dropin"
