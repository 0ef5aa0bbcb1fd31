#!/bin/sh
# The summary that `make bench-allreduce` prints: floors by size, verdicts, exit status. SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/../cli/program.sh"

# table ROW..: a CSV of bytes, rung, kind, place, seconds, of which quartiles are made 10 % beside it, ratio, its interval; summary STATUS OPTION..
table() {
    echo 'bytes,rung,kind,place,seconds,seconds_low,seconds_high,times_peer,times_peer_low,times_peer_high,peer,state,reason' >"$folder/t.csv"
    for row in "$@"; do
        echo "$row" | awk 'BEGIN { FS = OFS = "," } { if ($5 != "") $5 = $5 "," 0.9 * $5 "," 1.1 * $5; else $5 = ",,"; print }' >>"$folder/t.csv"
    done
}
summary() {
    wanted=$1
    shift
    status=0
    awk -v title=sums "$@" -f tools/bench_collective.awk "$folder/t.csv" >"$folder/out" || status=$?
    [ "$status" = "$wanted" ]
}
table '8,naive,rung,in,4e-6,0.5,0.45,0.55,mpi,measured,' '8,ring,rung,in,2e-6,1.50,1.48,1.52,mpi,measured,' '8,mpi,peer,in,1e-6,1,1,1,mpi,measured,' \
    '8,ring,rung,out,2e-6,0.99,0.97,1.01,mpi:ring,measured,' '8,tree,rung,out,2.2e-6,0.9,0.88,0.92,mpi:ring,measured,' '4096,ring,rung,in,9e-6,1.1,1.09,1.12,mpi,measured,' \
    '4096,window,rung,in,,,,,,skipped,"no, not here"'
cp "$folder/t.csv" "$folder/first.csv"

takes_the_fastest() { summary 0 -v place=in -v rungs=all -v floors=0:1.00 && grep -q ' 8 B in *ring *2.00 us *1.50 \[1.48, 1.52\] times mpi (1.00: ok)$' "$folder/out"; }
floors_go_by_size() { summary 1 -v place=in -v rungs=all -v floors=0:1.00,4096:1.20 && grep -q '4096 B .*(1.20: below)$' "$folder/out" && grep -q ' 8 B .*(1.00: ok)$' "$folder/out"; }
unsure_is_no_failure() { summary 0 -v place=out -v rungs=ring -v floors=0:1.00 && grep -q '(1.00: unsure)$' "$folder/out"; }
below_the_first_floor() { summary 0 -v place=in -v rungs=all -v floors=4096:1.00 && ! grep -q ' 8 B' "$folder/out" && grep -q '4096 B' "$folder/out"; }
beside_the_best() { summary 1 -v place=in -v rungs=naive -v floors=best && grep -q 'naive .* 0.50 .*times the best (0.95: below)$' "$folder/out"; }
near_the_best() { summary 0 -v place=out -v rungs=tree -v floors=best && grep -q 'tree .* 0.91 \[0.74, 1.11\] times the best (0.95: unsure)$' "$folder/out"; }
nothing_is_said() { summary 0 -v place=in -v rungs=auto -v floors=best && grep -q 'nothing was measured' "$folder/out"; }
wrong_fails() {
    echo '8,tree,rung,in,,,,,,,,wrong,bad' >>"$folder/t.csv"
    summary 1 -v place=in -v rungs=ring -v floors=0:1.00 && grep -q 'tree is WRONG' "$folder/out"
    result=$?
    cp "$folder/first.csv" "$folder/t.csv"
    return $result
}
check "the fastest of the rungs counts" takes_the_fastest
check "each size has its floor" floors_go_by_size
check "an interval that holds the floor is no failure" unsure_is_no_failure
check "sizes below the first floor have no line" below_the_first_floor
check "a rung beside the best of ours" beside_the_best
check "a rung so near to the best that quartiles overlap" near_the_best
check "rungs that were not measured are no failure" nothing_is_said
check "a wrong rung fails" wrong_fails
finish "tools/bench_collective"
