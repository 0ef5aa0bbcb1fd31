#!/bin/sh
# `rungs bench gemm`: variants of a size, peers, the roofline, a kept environment. No speed is tested.
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
same_file_twice() { call 2 --svg "$folder/x.svg" --roofline "$folder/x.svg" && [ ! -s "$folder/out" ] && [ -s "$folder/err" ]; }
keeps() {
    OPENBLAS_CORETYPE=Haswell quick --rungs naive --keep-environment && [ ! -s "$folder/err" ] &&
        grep -q 'kept OPENBLAS_CORETYPE=Haswell' "$folder/out"
}
refused() { call 2 --sizes "$1" && [ ! -s "$folder/out" ] && grep -q 'behind it may stand :nn :nt :tn :tt' "$folder/err"; }

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

finish "cli/bench_gemm"
