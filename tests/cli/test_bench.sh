#!/bin/sh
# `rungs bench`: what it prints and writes, and which calls it refuses. No speed is tested.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"
command_words=bench

# refused STATUS HINT ARGUMENT..: ends with the status before anything is measured, with a sentence that contains HINT.
refused() {
    wanted=$1 hint=$2
    shift 2
    call "$wanted" "$@" && [ ! -s "$folder/out" ] && grep -q -e "$hint" "$folder/err"
}

quick() { call 0 gemv --sizes 33,5x7 --threads 1 --rounds 2 "$@"; }

measures() {
    quick && grep -q '^gemv 33x33, 1 thread' "$folder/out" && grep -q '^gemv 5x7, 1 thread' "$folder/out" &&
        grep -q '^  naive  ' "$folder/out" && grep -q '^  rows  ' "$folder/out" && ! grep -q WRONG "$folder/out"
}
selects() { quick --rungs vector && grep -q '^  vector  ' "$folder/out" && ! grep -q '^  naive  ' "$folder/out"; }
writes_csv() { quick --rungs naive,rows --csv "$folder/t.csv" && [ "$(wc -l <"$folder/t.csv")" = 5 ]; }
writes_json() { quick --rungs rows --json "$folder/t.json" && grep -q '"times_naive"\|"samples"' "$folder/t.json"; }
draws() { quick --rungs naive,rows --svg "$folder/t.svg" && grep -q '<svg' "$folder/t.svg"; }
needs_gnuplot() {
    mkdir -p "$folder/empty"
    status=0
    PATH="$folder/empty" "$rungs" bench gemv --sizes 8 --svg "$folder/no.svg" >"$folder/out" 2>"$folder/err" || status=$?
    [ "$status" = 1 ] && [ ! -s "$folder/out" ] && grep -q gnuplot "$folder/err"
}
# A handicap is taken out of the environment, and the program says so.
cleans() {
    status=0
    OPENBLAS_CORETYPE=Haswell "$rungs" bench gemv --sizes 8 --threads 1 --rounds 1 >"$folder/out" 2>"$folder/err" || status=$?
    [ "$status" = 0 ] && grep -q 'without OPENBLAS_CORETYPE=Haswell' "$folder/err" && ! grep -q 'Haswell' "$folder/out" &&
        [ "$(grep -c 'starting again without OPENBLAS_CORETYPE' "$folder/err")" = 1 ]
}
# Those of the one list (src/ladder/handicaps.c), whatever libraries this build has; no other variable.
removes_every_handicap() {
    names=$(sed -n 's/^ *{"\([A-Z0-9_]*\)", .*/\1/p' src/ladder/handicaps.c)
    status=0
    # shellcheck disable=SC2046,SC2086
    env $(printf '%s=1 ' $names) OMP_NUM_THREADS=1 "$rungs" bench gemv --sizes 8 --threads 1 --rounds 1 >"$folder/out" 2>"$folder/err" ||
        status=$?
    [ "$status" = 0 ] && [ "$(grep -c 'starting again' "$folder/err")" = "$(echo "$names" | wc -l)" ] || return 1
    for name in $names; do
        grep -q "^rungs bench gemv: starting again without $name=1," "$folder/err" || { echo "$name stays"; return 1; }
    done
}
keeps_arguments() { # through the start again, blanks included
    status=0
    mkdir -p "$folder/a b"
    OPENBLAS_CORETYPE=Haswell "$rungs" bench gemv --sizes 8 --threads 1 --rounds 1 --csv "$folder/a b/t.csv" \
        >"$folder/out" 2>"$folder/err" || status=$?
    [ "$status" = 0 ] && [ -s "$folder/a b/t.csv" ]
}

# Whatever the machine: nothing is a thousand times as fast as itself, and everything a thousandth.
floor_met() { quick --rungs naive,rows --floor naive=0.001 --floor mean:naive=0.001 && grep -q '^floor naive=0.001:$' "$folder/out" && grep -q '(0.00: ok)' "$folder/out"; }
floor_missed() {
    call 1 gemv --sizes 33,5x7 --threads 1 --rounds 2 --rungs naive --floor naive/best=1000 && grep -q '(1000.00: below)' "$folder/out" &&
        grep -q '^rungs bench gemv: at least one floor is not met' "$folder/err"
}

crosses() { quick --sizes 5x7,5x9 --rungs naive,rows --crossing naive && grep -q '5x7, 1 thread, and on: .* as fast as naive' "$folder/out" && grep -q '^  rows  .*\[' "$folder/out"; }

check "two sizes are verified and measured" measures
check "--rungs selects" selects
check "--csv writes a row for each rung and size" writes_csv
check "--json writes samples" writes_json
check "every handicap is removed" removes_every_handicap
check "arguments survive the start again" keeps_arguments
check "handicaps of the peer are removed" cleans
if command -v gnuplot >/dev/null 2>&1; then
    check "--svg draws" draws
else
    skipped=$((skipped + 1))
    echo "skipped: --svg draws: no gnuplot here"
fi
check "without gnuplot --svg fails before measuring" needs_gnuplot
check "a floor that is met is said" floor_met
check "a floor that is missed fails" floor_missed
check "a floor without a ratio is refused" refused 2 "expected ROW=RATIO" gemv --floor naive
check "a floor of no row is refused" refused 2 'gemv has no row "nayve"' gemv --floor nayve=1
check "a wrong ratio is refused" refused 2 "is no ratio" gemv --floor naive=fast
check "a floor of a row that is not measured is refused" refused 2 "name it in --rungs" gemv --rungs rows --floor naive=1
check "--crossing finds a size" crosses
check "a crossing with no row is refused" refused 2 'has no rung "nayve"' gemv --crossing nayve
check "no operation is refused" refused 2 "an operation must be named"
check "an unknown operation is refused" refused 2 "no ladder 'qqqq'" qqqq
check "a mistyped operation gets the right one" refused 2 "did you mean 'gemv'" gemvv
check "an unknown rung is refused with those that there are" refused 2 "it has naive, unrolled, vector" gemv --rungs nayve
check "a bad size is refused" refused 2 "is not a list of sizes" gemv --sizes 3x4x5
check "a negative size is refused" refused 2 "is not a list of sizes" gemv --sizes -5
check "a size of 0 is refused" refused 2 "--sizes 0x0: there is nothing to measure in a size of 0" gemv --sizes 0
check "a dimension of 0 is refused" refused 2 "--sizes 5x0: " gemv --sizes 8,5x0,7
check "no threads are refused" refused 2 "threads" gemv --threads 0
check "an empty list of threads is refused" refused 2 "--threads is an empty list" gemv --threads ""
check "more threads than cores are refused" refused 2 "--threads 4096: this .*\(core\|OpenMP\)" gemv --threads 1,4096
check "no rounds are refused" refused 2 "rounds" gemv --rounds 0
check "a file that cannot be written is refused before measuring" refused 1 "/nowhere/t.csv" gemv --csv /nowhere/t.csv
too_large() { call 1 gemv --sizes 2000000000 --threads 1 --rounds 1 && [ "$(grep -c '^rungs bench gemv: ' "$folder/err")" -ge 1 ]; }
check "a size that no memory holds gets a sentence" too_large

finish "cli/bench"
