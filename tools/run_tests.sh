#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs test programs:  sh tools/run_tests.sh PROGRAM..   and every tests/**/test_*.sh.
#
#   BUILD=build       where the programs lie; a script test finds it in its environment
#   MPI=1             programs named *_mpi run on 1, 2, 3, 4 and 7 ranks, ladders of collectives also on 5 and 8 (0: they are skipped)
#   MPI_RANKS="2 3"   other numbers of ranks
#   ONLY=core/test_r  runs those whose name contains this
#   TEST_TIMEOUT=600  seconds that one program may take
#   VERBOSE=1         shows all output
#
# A program ends with the line "NAME: N passed, N failed, N skipped"; without that line, or with an exit status that
# contradicts it, it has failed. The last line here is the sum, and the exit status is 1 if anything failed.
set -u
build=${BUILD:-build}
export BUILD="$build"
log=$build/tests/run.log
mkdir -p "$build/tests"
passed=0 failed=0 skipped=0 programs=0

# Ranks that share cores disturb each other: no number of rounds would make their samples agree (mpi/model/survey.h).
export RUNGS_FIT_SECONDS="${RUNGS_FIT_SECONDS:-0.5}"

limit=
command -v timeout >/dev/null 2>&1 && limit="timeout -k 10 ${TEST_TIMEOUT:-600}"

# What MPI libraries keep is not our leak; that it is theirs shows only in a whole stack, which the slow unwinder gives.
export LSAN_OPTIONS="${LSAN_OPTIONS:-suppressions=$(pwd)/tools/lsan.supp:print_suppressions=0}"
mpi_asan_options=${ASAN_OPTIONS:-fast_unwind_on_malloc=0}

# GCC 12's leak checker itself crashes now and then where a thread is older than a library that it uses, as MPI's are: then it has
# found nothing, and is asked again, three times at most.
attempt() {
    for _ in 1 2 3; do
        status=0
        # shellcheck disable=SC2086
        $limit "$@" >"$log" 2>&1 </dev/null || status=$?
        grep -q 'LeakSanitizer has encountered a fatal error' "$log" && grep -q ' passed, 0 failed, ' "$log" || return 0
    done
}

# run NAME COMMAND..: runs it, prints one line, adds to the sums.
run() {
    name=$1 begin=$(date +%s)
    shift
    attempt "$@"
    report "$name" "$status" $(($(date +%s) - begin))
}

# report NAME STATUS SECONDS, of what has left its output in $log
report() {
    name=$1 status=$2 seconds=$3
    programs=$((programs + 1))
    summary=$(grep -E '^[^:]+: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -n 1)
    p=0 f=0 s=0 note=
    if [ -n "$summary" ]; then
        # shellcheck disable=SC2046
        set -- $(printf '%s\n' "${summary##*: }" | tr -cd '0-9 ')
        p=$1 f=$2 s=$3
    fi
    if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
        note=", stopped after ${TEST_TIMEOUT:-600} s"
    elif [ -z "$summary" ]; then
        note=", ended with status $status and without a summary line"
    elif [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
        note=", ended with status $status"
    elif [ "$status" -eq 0 ] && [ "$f" -gt 0 ]; then
        note=", ended with status 0 in spite of failures"
    fi
    [ -z "$note" ] || f=$((f + 1))
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    if [ "$f" -gt 0 ]; then
        verdict=FAILED
    else
        verdict=ok
    fi
    [ "$seconds" -lt 5 ] || note="$note, $seconds s"
    printf '%-6s %-36s %s passed, %s failed, %s skipped%s\n' "$verdict" "$name" "$p" "$f" "$s" "$note"
    if [ "$f" -gt 0 ] || [ -n "${VERBOSE:-}" ]; then
        sed 's/^/       /' "$log"
    elif [ "$s" -gt 0 ]; then
        grep '^skipped ' "$log" | sed 's/^/       /'
    fi
}

skip() {
    programs=$((programs + 1))
    skipped=$((skipped + 1))
    printf '%-6s %-36s %s\n' skip "$1" "$2"
}

# Ladders of collectives run on more numbers of ranks than what only uses them.
ranks_of() {
    case $1 in
    *allreduce_mpi | *collectives_mpi) echo "${MPI_RANKS:-1 2 3 4 5 7 8}" ;;
    *) echo "${MPI_RANKS:-1 2 3 4 7}" ;;
    esac
}

run_mpi() {
    if [ "${MPI:-0}" != 1 ]; then
        skip "$1" "this build is without MPI"
    elif ! command -v "${MPIRUN:-mpirun}" >/dev/null 2>&1; then
        skip "$1" "${MPIRUN:-mpirun} was not found"
    else
        for ranks in $(ranks_of "$1"); do
            run "$1 -n $ranks" env ASAN_OPTIONS="$mpi_asan_options" sh tools/mpirun.sh "$ranks" "$2"
        done
    fi
}

for program in "$@"; do
    name=${program#"$build"/tests/}
    case $name in
    *"${ONLY:-}"*) ;;
    *) continue ;;
    esac
    case $name in
    *_mpi) run_mpi "$name" "$program" ;;
    *) run "$name" "$program" ;;
    esac
done

export ASAN_OPTIONS="$mpi_asan_options" # scripts may start ranks, too
scripts=$(find tests -name 'test_*.sh' | sed 's|^tests/||' | grep -F -e "${ONLY:-}" | sort)
if grep -qs fsanitize "$build/flags"; then
    for name in $(echo "$scripts" | grep -E '^(mpi|labs)/'); do
        skip "$name" "ranks ended in the middle, foreign programs and builds of handouts are no case for sanitizers"
    done
    scripts=$(echo "$scripts" | grep -v -E '^(mpi|labs)/')
fi

# Scripts that say so, "Runs beside others", compile and run one small program after the other and measure nothing: first they, as many
# at once as there are cores. Who makes a script's folder runs it.
beside=
for name in $scripts; do
    ! grep -q '^# Runs beside others' "tests/$name" || beside="$beside $name"
done
claims=$build/tests/beside
lane() {
    for name in $beside; do
        folder=$claims/${name##*/}
        mkdir "$folder" 2>/dev/null || continue
        log=$folder/log begin=$(date +%s)
        attempt "./tests/$name"
        echo "$status $(($(date +%s) - begin))" >"$folder/end"
    done
}
if [ -n "$beside" ]; then
    rm -rf "$claims" && mkdir -p "$claims"
    trap 'rm -rf "$claims"; exit 130' INT TERM HUP # nobody can claim another script then
    cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
    while [ "$cores" -gt 0 ]; do
        lane &
        cores=$((cores - 1))
    done
    wait
    trap - INT TERM HUP
fi
for name in $scripts; do
    folder=$claims/${name##*/}
    if [ -f "$folder/end" ]; then
        log=$folder/log
        # shellcheck disable=SC2046
        report "$name" $(cat "$folder/end")
        log=$build/tests/run.log
    else
        run "$name" "./tests/$name"
    fi
done
rm -rf "$log" "$claims"

if [ $programs -eq 0 ]; then
    echo "no test program's name contains \"${ONLY:-}\""
    failed=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
