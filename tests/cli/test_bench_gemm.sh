#!/bin/sh
# `rungs bench gemm`: variants of a size, peers, the roofline, a kept environment; and the summary that make bench prints. No speed is
# tested.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"
command_words="bench gemm"

quick() { call 0 --sizes 17x9x33:nt,20 --threads 1 --rounds 2 "$@"; }

measures() {
    quick && grep -q '^gemm 17x9x33:nt, 1 thread' "$folder/out" && grep -q '^gemm 20x20x20, 1 thread' "$folder/out" &&
        grep -q '^  naive  ' "$folder/out" && grep -q '^  openmp  ' "$folder/out" && ! grep -q WRONG "$folder/out"
}
# Measured, or not here and that is said: in the list of peers and in each table.
has_peers() {
    quick --csv "$folder/p.csv" || return 1
    for peer in openblas blis onednn onednn_matmul; do
        grep -q "^  peer $peer: ." "$folder/out" && [ "$(grep -c "^  $peer  *[0-9s]" "$folder/out")" = 2 ] || return 1
    done
    grep -q ',peer,kind$' "$folder/p.csv" && [ "$(grep -c ',peer$' "$folder/p.csv")" = 8 ]
}
describes_selected_peers() { quick --rungs naive,onednn && grep -q 'peer onednn:' "$folder/out" && ! grep -q 'peer blis' "$folder/out"; }
draws_a_roofline() { quick --rungs naive,vector --roofline "$folder/r.svg" && grep -q '<svg' "$folder/r.svg"; }
same_file_twice() { call 1 --svg "$folder/x.svg" --roofline "$folder/x.svg" && [ ! -s "$folder/out" ] && [ -s "$folder/err" ]; }
keeps() {
    OPENBLAS_CORETYPE=Haswell quick --rungs naive --keep-environment && [ ! -s "$folder/err" ] &&
        grep -q 'kept OPENBLAS_CORETYPE=Haswell' "$folder/out"
}
refused() { call 2 --sizes "$1" && [ ! -s "$folder/out" ] && grep -q 'behind it may stand :nn :nt :tn :tt' "$folder/err"; }

# ---- the summary ----

# table ROW..: makes a CSV; summary STATUS OPTION..: what the summary says of it.
table() {
    echo 'size,threads,rung,state,reason,flops,seconds,seconds_bound,times_peer,times_peer_low,times_peer_high,peer,kind' >"$folder/t.csv"
    for row in "$@"; do echo "$row" >>"$folder/t.csv"; done
}
summary() {
    wanted=$1
    shift
    status=0
    awk "$@" -f tools/bench_ratios.awk "$folder/t.csv" >"$folder/out" || status=$?
    [ "$status" = "$wanted" ]
}
rows_of_two() {
    table '64x64x64,1,slow,measured,,2e9,4,1,0.5,0.45,0.55,blas,rung' '64x64x64,1,fast,measured,,2e9,2,1,1.5,1.4,1.6,blas,rung' \
        '64x64x64,1,other,measured,,2e9,1.5,1,0.9,0.8,1.0,blas,peer' '64x64x64,1,blas,measured,,2e9,1.4,1,,,,,peer' \
        '65x65x65,1,fast,measured,,2e9,2,1,0.99,0.97,1.01,blas,rung' '66x66x66,1,fast,measured,,2e9,2,1,0.6,0.5,0.7,blas,rung' \
        '66x66x66,1,slow,skipped,"a, b, c",2e9,,,,,,,rung'
}
takes_the_fastest_of_ours() {
    rows_of_two && summary 0 && grep -q '64x64x64 *1 thread *fast *1.0 GFLOP/s *50 % of the bound *1.50 \[1.40, 1.60\] times blas$' "$folder/out" &&
        [ "$(wc -l <"$folder/out")" = 4 ] && grep -q 'geometric mean of 3 sizes, 1 thread: 0.96$' "$folder/out"
}
judges() {
    rows_of_two && summary 1 -v peer=1.00 && grep -q '64x64x64 .*(1.00: ok)$' "$folder/out" &&
        grep -q '65x65x65 .*(1.00: unsure)$' "$folder/out" && grep -q '66x66x66 .*(1.00: below)$' "$folder/out"
}
unsure_is_no_failure() {
    table '65x65x65,1,fast,measured,,2e9,2,1,0.99,0.97,1.01,blas,rung' && summary 0 -v peer=1.00
}
a_wide_interval_is_unsure() {
    table '65x65x65,1,fast,measured,,2e9,2,1,1.2,0.9,1.5,blas,rung' && summary 0 -v peer=1.00 && grep -q '(1.00: unsure)$' "$folder/out" &&
        summary 0 -v peer=0.85 && grep -q '(0.85: ok)$' "$folder/out"
}
judges_the_mean() { rows_of_two && summary 0 -v mean=0.95 && summary 1 -v mean=0.97 && grep -q '0.96 (0.97: below)$' "$folder/out"; }
judges_the_bound() { rows_of_two && summary 0 -v bound=0.5 && summary 1 -v bound=0.51 && grep -q 'bound (0.51: below)' "$folder/out"; }
judges_against_the_lowest() {
    echo 'size,threads,rung,state,flops,seconds,seconds_bound,times_naive,times_naive_low,times_naive_high,peer,kind' >"$folder/t.csv"
    echo '64x64,1,float,measured,2e9,4,1,,,,,rung' >>"$folder/t.csv"
    echo '64x64,1,fast,measured,2e9,2,1,2.0,1.95,2.05,,rung' >>"$folder/t.csv"
    summary 0 -v lowest=1.90 -v lowest_rung=float && grep -q '2.00 \[1.95, 2.05\] times float (1.90: ok)$' "$folder/out" &&
        summary 1 -v lowest=2.10 -v lowest_rung=float && summary 0 && ! grep -q float "$folder/out"
}
reports_wrong() { table '8x8,1,naive,wrong,"1, 2",5,,,,,,,rung' && summary 1 && grep -q '8x8: naive is WRONG' "$folder/out"; }
stands_alone() { # without a peer
    table '8x8,2,naive,measured,,5e9,1,0.1,,,,,rung' && summary 0 -v peer=1.0 && grep -q '8x8  *2 threads *naive *5.0 GFLOP/s *10 % of the bound$' "$folder/out"
}
reads_what_is_written() { quick --rungs naive,blocked,openblas --csv "$folder/t.csv" && summary 0 && [ "$(grep -c 'of the bound' "$folder/out")" = 2 ]; }

check "sizes and variants are verified and measured" measures
check "every peer has a row" has_peers
check "only selected peers are described" describes_selected_peers
if command -v gnuplot >/dev/null 2>&1; then
    check "--roofline draws" draws_a_roofline
else
    skipped=$((skipped + 1))
    echo "skipped: --roofline draws: no gnuplot here"
fi
check "two figures in one file are refused" same_file_twice
check "--keep-environment keeps it and says so" keeps
check "an unknown variant is refused" refused 64:nx
check "a variant twice is refused" refused 64:nt:nt
check "the summary takes our fastest rung" takes_the_fastest_of_ours
check "the summary judges by a floor" judges
check "an interval that holds the floor is no failure" unsure_is_no_failure
check "a wide interval around the floor is unsure" a_wide_interval_is_unsure
check "the summary judges the geometric mean" judges_the_mean
check "the summary judges the share of the bound" judges_the_bound
check "a floor of times the lowest rung" judges_against_the_lowest
check "the summary reports a wrong rung" reports_wrong
check "the summary needs no peer" stands_alone
check "the summary reads what is written" reads_what_is_written

finish "cli/bench_gemm"
