#!/bin/sh
# SPDX-License-Identifier: MIT
# Thorough: waits until ranks are taken for stuck.
# A run that hangs ends, with who waits for whom; one that does not hang is left alone. The programs are in tests/mpi/stuck.c.
set -u
build=${BUILD:-build}
stuck=$build/tests/mpi/stuck
if [ "${MPI:-0}" != 1 ] || ! command -v "${MPIRUN:-mpirun}" >/dev/null 2>&1; then
    echo "skipped the watchdog: there is no MPI here"
    echo "watchdog: 0 passed, 0 failed, 1 skipped"
    exit 0
fi
out=$(mktemp "${TMPDIR:-/tmp}/rungs-watchdog-XXXXXX")
# A folder of this test's own: another program of this machine may just now have a file in the usual one.
RUNGS_WATCH_FOLDER=$(mktemp -d "${TMPDIR:-/tmp}/rungs-watchdog-XXXXXX")
export RUNGS_WATCH_FOLDER
trap 'rm -rf "$out" "$RUNGS_WATCH_FOLDER"' EXIT
passed=0 failed=0
ASAN_OPTIONS=detect_leaks=0 # what MPI keeps at its end is not what is asked here
export ASAN_OPTIONS

# try SECONDS WHAT [ARGUMENT]: on three ranks, with a watchdog's patience of SECONDS.
try() {
    seconds=$1
    shift
    status=0
    RUNGS_WATCHDOG=$seconds timeout -k 5 60 sh tools/mpirun.sh 3 "$stuck" "$@" >"$out" 2>&1 </dev/null || status=$?
}
# expect WHAT STATUS LINE..: the last run ended with STATUS, and each LINE (extended regular expression) stands in its output.
expect() {
    what=$1 want=$2 wrong=
    shift 2
    [ "$status" -eq "$want" ] || wrong="status $status, expected $want"
    for line in "$@"; do
        grep -Eq -e "$line" "$out" || wrong="no line like: $line"
    done
    if [ -z "$wrong" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $what: $wrong"
        sed 's/^/    /' "$out"
    fi
}

cycle='^rungs: deadlock: rank 0 waits for rank 1, which waits for rank 2, which waits for rank 0$'
try 20 ring 10
expect "short messages pass although all send first" 0 '^done$'
RUNGS_STRICT=1 try 2 ring 10
expect "in strict mode they do not" 3 '^rungs: no rank has moved for 2 s:$' "$cycle" \
    '^  rank 2 waits in MPI_Send for rank 0 to receive: tag 7, 40 bytes, call 1 of "a ring of 10 floats", for ([2-9]|[1-9][0-9]+) s$' \
    '^rungs: the watchdog ends the run with status 3' '^mpirun.sh: .*watchdog'
try 2 ring 1000000
expect "nor do long ones" 3 "$cycle" '^  rank 0 waits in MPI_Send for rank 1 to receive: tag 7, 4000000 bytes'
RUNGS_STRICT=1 try 2 twice 10
expect "messages under way" 3 "$cycle" '^  rank 1 waits in MPI_Waitall for rank 2 to receive: tag 1, 40 bytes, call 1, for'
try 2 tag
expect "a tag that nobody sends" 3 '^  rank 0 has ended \(MPI_Finalize\)$' '^  rank 1 waits in MPI_Recv for a message from rank 0: tag 4,' \
    '^rungs: rank 1 waits for rank 0, which has ended$'
try 2 end
expect "a rank that has ended" 3 '^rungs: rank 0 waits for rank 1, which has ended$'
try 2 barrier
expect "a barrier that one rank does not reach" 3 '^  rank 2 waits in MPI_Barrier for rank 0, ' \
    '^rungs: deadlock: rank 0 waits for rank 1, which waits for rank 0$'
try 1 compute 4
expect "a rank that computes is not stuck" 0 '^done$'
try 1 sums 4
expect "a rank that computes while its thread communicates is not stuck" 0 '^done$'
try 2 sums 0
expect "a thread that waits for a rank that takes no part" 3 '^  rank 1 waits in MPI_(Waitall|Sendrecv) for a message from rank 0: tag 0' \
    '^  rank 0 waits in MPI_Recv for a message from rank 1'
try 1 queue 4
expect "nor is one whose queue polls" 0 '^done$'
try 2 queue 0
expect "who waits in a queue waits for whom his ticket needs" 3 "$cycle" '^  rank 1 waits in MPI_Testall for a message from rank 2: tag 3, 4 bytes'
try 2 window
expect "a rank that waits in memory of its node" 3 '^  rank 0 waits in memory that its node shares for rank 2, call' \
    '^rungs: deadlock: rank 0 waits for rank 2, which waits for rank 0$'

# stopped RANK RUNG SIGNAL: three ranks reduce, RANK is stopped, and gets the signal 4 s later.
stopped() {
    : >"$out"
    (
        process=
        for _ in $(seq 300); do # a busy machine may take a while to start
            process=$(sed -n "s/^rank $1 is process //p" "$out")
            [ "$(grep -c '^rank . is process' "$out")" -lt 3 ] || break
            sleep 0.1
        done
        kill -STOP "$process" && sleep 4 && { kill -"$3" "$process" || :; } 2>/dev/null
    ) &
    RUNGS_STOPPED=3
    export RUNGS_STOPPED
    [ "$3" != CONT ] || RUNGS_STOPPED=30
    try 1 reduce 3 "$2"
    wait $!
}
told='^  rank 1 is stopped, for [1-9][0-9]* s: process [0-9]+ of its machine, kill -CONT [0-9]+ lets it go on'
ends='^rungs: the watchdog ends the run with status 3: a rank has been stopped for 3 s, and no other has moved$'
for rung in ring window mpi; do
    stopped 1 $rung 0
    expect "a stopped rank, $rung" 3 '^rungs: a rank is stopped:$' "$told" "$ends"
done
expect "the library's own call is not seen" 3 '^rungs: if no other rank moves for 3 s the run ends; RUNGS_STOPPED=600'
stopped 0 ring 0
expect "the rank that watches is stopped" 3 '^  rank 0 is stopped, for' "$ends"
stopped 1 window CONT
expect "a rank that goes on after it was stopped" 0 "$told" '^done$'

try soon compute 0
expect "a wrong number of seconds" 2 '^rungs: RUNGS_WATCHDOG is "soon", expected seconds, as in RUNGS_WATCHDOG=5, or 0 for none: change it, or unset it$'
if [ -z "$(ls "$RUNGS_WATCH_FOLDER")" ]; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "FAILED nothing is left behind: $(ls "$RUNGS_WATCH_FOLDER")"
fi

echo "watchdog: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
