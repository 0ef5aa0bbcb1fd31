#!/bin/sh
# tools/spmm_crossover.awk on tables whose crossings are known.
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/../.." || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0 skipped=0

# table LINE..: size threads rung state seconds ratio low high, of which a CSV is made with a column more in front.
table() {
    echo 'operation,size,threads,rung,state,seconds,times_peer,times_peer_low,times_peer_high' >"$folder/t.csv"
    for line; do
        echo "spmm,$(echo "$line" | tr ' ' ',')" >>"$folder/t.csv"
    done
}

# prints STATUS TEXT: the output has this line, blanks aside.
prints() {
    status=0
    awk -f tools/spmm_crossover.awk "$folder/t.csv" >"$folder/out" 2>"$folder/err" || status=$?
    [ "$status" = "$1" ] && [ ! -s "$folder/err" ] && tr -s ' ' <"$folder/out" | grep -q -F -- "$2"
}

check() {
    text=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $text"
        sed 's/^/    /' "$folder/out" "$folder/err"
    fi
}

dense() { echo "64x32x16x$1 1 dense measured 0.001 1 1 1"; }

# Ratios 4 and 1/4 at 10 and 40 %: 1 is in the middle of their logarithms, at 20 %; of 2 and 1/8 it is at a quarter.
table "$(dense 100)" "64x32x16x100 1 vector measured 0.00025 4 2 8" \
    "$(dense 400)" "64x32x16x400 1 vector measured 0.004 0.25 0.125 0.5"
check "a crossing between two densities" prints 0 "vector is as fast as dense at a density of 20 % [14.1 %, 28.3 %]"
check "the rate with and without zeros" prints 0 "10.0 % 1.000 0.250 vector 0.0 0.3 4.00 [2.00, 8.00]"
check "the place is named" prints 0 "64x32x16, 1 thread"

table "64x32x16x400 2 vector measured 0.004 0.25 0.125 0.5" "64x32x16x100 2 vector measured 0.00025 4 2 8"
check "densities in any order, and no dense row" prints 0 "at a density of 20 % [14.1 %, 28.3 %]"
check "several threads" prints 0 "64x32x16, 2 threads"

table "8x8x8x10 1 vector measured 1 3 2 4" "8x8x8x500 1 vector measured 1 1.5 0.5 2"
check "a sparse product that is always faster" prints 0 "above 50 % ["
check "whose interval is not" prints 0 "%, above 50 %]"

table "8x8x8x10 1 vector measured 1 0.5 0.25 1.5" "8x8x8x500 1 vector measured 1 0.5 0.4 0.75"
check "one that is never faster" prints 0 "a density of below 1 % [below 1 %,"

table "8x8x8x10 1 vector measured 1 4 4 4" "8x8x8x20 1 vector measured 1 0.9 0.9 0.9" \
    "8x8x8x40 1 vector measured 1 2 2 2" "8x8x8x80 1 vector measured 1 0.5 0.5 0.5"
check "of several crossings the last" prints 0 "at a density of 5.66 %"

table "8x8x8x10 1 vector measured 2 1 1 1" "8x8x8x10 1 openmp measured 1 2 2 2" "8x8x8x10 1 dense measured 3 1 1 1"
check "the fastest rung stands in the table" prints 0 "1.0 % 3000.000 1000.000 openmp"

table "8x8x8x10 1 vector wrong"
check "a wrong rung is a failure" prints 1 "8x8x8x10: vector is WRONG"

table "$(dense 100)" "64x32x16x100 1 vector measured 0.00025 4 2 8"
draws() {
    awk -v plot="$folder/t.gp" -f tools/spmm_crossover.awk "$folder/t.csv" >/dev/null &&
        gnuplot "$folder/t.gp" >"$folder/t.svg" 2>"$folder/err" && grep -q '64x32x16, 1 thread' "$folder/t.svg"
}
if command -v gnuplot >/dev/null 2>&1; then
    check "the figure" draws
else
    skipped=$((skipped + 1))
    echo "skipped: the figure: no gnuplot here"
fi

echo "tools/spmm_crossover: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
