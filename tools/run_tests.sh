#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs test programs:  sh tools/run_tests.sh PROGRAM..   and every tests/**/test_*.sh.
#
#   BUILD=build         where the programs are; a script test finds it in its environment
#   MPI=1               programs named *_mpi run on several numbers of ranks (0: they are skipped)
#   MPI_RANKS="2 3"     other numbers of ranks
#   ONLY=core/test_r    runs those whose name contains this
#   RUNGS_TEST_ALL=1    the second half of `make test-all`: what is slow and rarely fails, and nothing else: scripts with a line
#                       "# Thorough: why", programs that call test_thorough() (tests/testing.h), further numbers of ranks
#   TEST_TIMEOUT=600    seconds that one program may take
#   TEST_LANES=2        how many programs at once (default: the cores)
#   TEST_TIMES=FILE     adds a line for each program: its CPU seconds, its seconds, its name
#   VERBOSE=1           shows all output
#
# A program ends with the line "NAME: N passed, N failed, N skipped"; without that line, or with an exit status that
# contradicts it, it has failed. The last line here is the sum, and the exit status is 1 if anything failed.
#
# Programs run in lanes, one for each core; one lane takes all that start ranks, which use every core by themselves. A script
# with a line "# Alone: why" runs when the lanes are empty.
set -u
build=${BUILD:-build}
export BUILD="$build"
folder=$build/tests/run.$$
jobs=$folder/jobs
mkdir -p "$folder/done" || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'rm -rf "$folder/claims"; exit 130' INT TERM HUP # no lane can claim another job then

# Ranks that share cores disturb each other: no number of rounds would make their samples agree (mpi/model/survey.h).
export RUNGS_FIT_SECONDS="${RUNGS_FIT_SECONDS:-0.5}"
# A thread that waits lets another program have its core.
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"

limit=
command -v timeout >/dev/null 2>&1 && limit="timeout -k 10 ${TEST_TIMEOUT:-600}"

# What MPI libraries keep is not our leak; that it is theirs shows only in a whole stack, which the slow unwinder gives.
export LSAN_OPTIONS="${LSAN_OPTIONS:-suppressions=$(pwd)/tools/lsan.supp:print_suppressions=0}"
mpi_asan_options=${ASAN_OPTIONS:-fast_unwind_on_malloc=0}

# ---- the jobs, in the order of the report: a line "KIND NAME PROGRAM [RANKS]" each ---------------------------------------
# Kinds: serial, ranks (starts several processes), alone, skip (the reason instead of the program).
matches() { case $1 in *"${ONLY:-}"*) ;; *) return 1 ;; esac }
marked() { grep -q "^# $1: " "tests/$2"; }

# The numbers of ranks of a program; ladders of collectives run on more than what only uses them.
ranks_of() {
    if [ -n "${MPI_RANKS:-}" ]; then
        [ -n "${RUNGS_TEST_ALL:-}" ] || echo "$MPI_RANKS"
        return
    fi
    case $1:${RUNGS_TEST_ALL:+thorough} in
    *allreduce_mpi: | *collectives_mpi:) echo "1 2 3 4 7" ;;
    *allreduce_mpi:* | *collectives_mpi:*) echo "5 8" ;;
    *:) echo "1 3 4" ;;
    *) echo "2 7" ;;
    esac
}

add_program() {
    name=${1#"$build"/tests/}
    matches "$name" || return 0
    thorough=false
    if [ -n "${RUNGS_TEST_ALL:-}" ] && grep -qs 'test_thorough()' "tests/$name.c"; then thorough=true; fi
    case $name in
    *_mpi)
        if [ "${MPI:-0}" != 1 ]; then
            echo "skip $name this build is without MPI"
        elif ! command -v "${MPIRUN:-mpirun}" >/dev/null 2>&1; then
            echo "skip $name ${MPIRUN:-mpirun} was not found"
        else
            all=$(ranks_of "$name")
            ! $thorough || all="$(RUNGS_TEST_ALL='' ranks_of "$name") $all"
            for ranks in $all; do echo "ranks $name $1 $ranks"; done
        fi
        ;;
    *) [ -n "${RUNGS_TEST_ALL:-}" ] && ! $thorough || echo "serial $name $1" ;;
    esac
}

add_script() {
    matches "$1" || return 0
    if marked Thorough "$1"; then
        [ -n "${RUNGS_TEST_ALL:-}" ] || return 0
    else
        [ -z "${RUNGS_TEST_ALL:-}" ] || return 0
    fi
    case $1 in
    mpi/* | labs/*)
        if grep -qs fsanitize "$build/flags"; then
            echo "skip $1 ranks ended in the middle, foreign programs and builds of handouts are no case for sanitizers"
            return
        fi
        ;;
    esac
    if marked Alone "$1"; then
        echo "alone $1 ./tests/$1"
    elif grep -qE 'mpirun|--ranks' "tests/$1"; then
        echo "ranks $1 ./tests/$1"
    else
        echo "serial $1 ./tests/$1"
    fi
}

for program in "$@"; do add_program "$program"; done >"$jobs"
for script in $(find tests -name 'test_*.sh' | sed 's|^tests/||' | sort); do add_script "$script"; done >>"$jobs"

# ---- lanes -------------------------------------------------------------------------------------------------------------

# GCC 12's leak checker itself crashes now and then where a thread is older than a library that it uses, as MPI's are: then it has
# found nothing, and is run again, three times at most.
attempt() { # LOG COMMAND..
    log=$1
    shift
    for _ in 1 2 3; do
        status=0
        # shellcheck disable=SC2086
        $limit "$@" >"$log" 2>&1 </dev/null || status=$?
        grep -q 'LeakSanitizer has encountered a fatal error' "$log" && grep -q ' passed, 0 failed, ' "$log" || return 0
    done
}

# CPU seconds of all programs that this shell has waited for, and of those that they have waited for.
cpu_seconds() {
    times >"$folder/times.$number"
    awk 'NR == 2 { split($1 "m" $2, t, /[ms]+/); print t[1] * 60 + t[2] + t[3] * 60 + t[4] }' "$folder/times.$number"
}

# perform NUMBER KIND PROGRAM [RANKS]: leaves its output in done/NUMBER.log, its status and seconds in done/NUMBER.
perform() {
    number=$1 kind=$2 program=$3 ranks=${4:-}
    mkdir "$folder/claims/$number" 2>/dev/null || return 0
    begin=$(date +%s)
    [ -z "${TEST_TIMES:-}" ] || cpu_seconds >"$folder/done/$number.cpu"
    if [ -n "$ranks" ]; then
        attempt "$folder/done/$number.log" env ASAN_OPTIONS="$mpi_asan_options" sh tools/mpirun.sh "$ranks" "$program"
    elif [ "${program#"$build"}" = "$program" ]; then # a script may start ranks
        attempt "$folder/done/$number.log" env ASAN_OPTIONS="$mpi_asan_options" "$program"
    else
        attempt "$folder/done/$number.log" "$program"
    fi
    seconds=$(($(date +%s) - begin))
    if [ -n "${TEST_TIMES:-}" ]; then
        cpu_seconds >>"$folder/done/$number.cpu"
        awk -v seconds="$seconds" -v name="${program#"$build/tests/"}${ranks:+ -n $ranks}" \
            'NR == 1 { begin = $1 } END { printf "%.1f %d %s\n", $1 - begin, seconds, name }' \
            "$folder/done/$number.cpu" >>"$TEST_TIMES"
    fi
    echo "$status $seconds" >"$folder/done/$number.new"
    mv "$folder/done/$number.new" "$folder/done/$number"
}

# lane KIND..: performs what nobody else has claimed, kind after kind
lane() {
    for wanted; do
        number=0
        while read -r kind _ program ranks; do
            number=$((number + 1))
            [ "$kind" != "$wanted" ] || perform "$number" "$kind" "$program" "$ranks"
        done <"$jobs"
    done
}

# ---- the report --------------------------------------------------------------------------------------------------------
passed=0 failed=0 skipped=0 programs=0

# report NAME LOG STATUS SECONDS
report() {
    name=$1 log=$2 status=$3 seconds=$4
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

# report_all: in the order of the jobs, each as soon as it is done and all before it are.
report_all() {
    number=0
    while read -r kind name rest; do
        number=$((number + 1)) programs=$((programs + 1))
        if [ "$kind" = skip ]; then
            skipped=$((skipped + 1))
            printf '%-6s %-36s %s\n' skip "$name" "$rest"
            continue
        fi
        while [ ! -f "$folder/done/$number" ] && kill -0 "$work" 2>/dev/null; do sleep 0.2; done
        [ -f "$folder/done/$number" ] || echo 1 0 >"$folder/done/$number" # its lane was killed
        : >>"$folder/done/$number.log"
        case $rest in
        *" "*) name="$name -n ${rest##* }" ;;
        esac
        # shellcheck disable=SC2046
        report "$name" "$folder/done/$number.log" $(cat "$folder/done/$number")
    done <"$jobs"
}

mkdir "$folder/claims"
lanes=${TEST_LANES:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
(
    while [ "$lanes" -gt 0 ]; do
        lane serial &
        lanes=$((lanes - 1))
    done
    wait
    lane ranks alone
) &
work=$!
report_all
wait

if [ $programs -eq 0 ]; then
    echo "no test program's name contains \"${ONLY:-}\""
    failed=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
