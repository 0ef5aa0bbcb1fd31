#!/bin/sh
# `rungs bench --device` and `--compare`: what they print and write, and which calls they refuse.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"
command_words=bench

refused() { # STATUS HINT ARGUMENT..: ends with the status before anything is run, with a sentence that contains HINT
    wanted=$1 hint=$2
    shift 2
    call "$wanted" "$@" && [ ! -s "$folder/out" ] && grep -q -e "$hint" "$folder/err"
}
has() { grep -q -e "$1" "$folder/out"; }

no_times() { ! has '[0-9] [mun]*s ' && ! has 'FLOP/s' && ! has 'times rung'; }
verifies() {
    call 0 gemm --device emulator --sizes 33,5x7x9 && has '^gemm 33x33x33' && has '^gemm 5x7x9' && has '^  naive ' &&
        has '^  tensor_three_tf32 ' && has 'times meaningless' && ! has WRONG && ! has sectors && no_times
}
selects() { call 0 gemm --device emulator --sizes 16 --rungs coalesced && has '^  coalesced ' && ! has '^  naive '; }
skips() { call 0 gemm --device emulator --sizes 16:nt --rungs naive && has 'naive .*skipped: .* transposed'; }
counts() { # loads of 32 sectors and 1, stores of 32; then 4 and 1, and 4
    call 0 gemm --device emulator --counters --sizes 64 --rungs naive,coalesced && has 'sectors' && has ' A100 ' &&
        has '^  naive  .* 16\.50 .* 32\.00 .* gemm_naive$' && has '^  coalesced  .* 2\.50 .* 4\.00 .* gemm_coalesced$' &&
        has 'times meaningless'
}
counts_for_one() { call 0 gemm --device emulator --counters --gpu v100 --sizes 16 --rungs naive && has V100 && ! has A100; }
counts_lines() { call 0 gemm --device emulator --lines --sizes 33 --rungs naive && has '01_naive.cu:[0-9]'; }
checks() { call 0 gemm --device emulator-checked --sizes 16 --rungs naive && has 'that checks'; }
writes() {
    call 0 gemm --device emulator --counters --sizes 16 --rungs naive,coalesced --csv "$folder/t.csv" --json "$folder/t.json" &&
        [ "$(wc -l <"$folder/t.csv")" = 3 ] && grep -q 'load_sectors' "$folder/t.csv" && grep -q '"load_sectors":' "$folder/t.json" &&
        grep -q 'times meaningless' "$folder/t.json"
}
no_device() {
    call 1 gemm --device gpu --sizes 16 && [ ! -s "$folder/out" ] && [ "$(wc -l <"$folder/err")" = 1 ] &&
        grep -q -e '--device emulator' "$folder/err"
}
compares() {
    call 0 gemm --compare cpu,gpu --device emulator --gpu A100 --sizes 16,4096 --threads 1 --csv "$folder/c.csv" &&
        has 'GPU   A100.* predicted only' && has 'link  PCIe 4.0 x16, .*assumed' && has '^  16x16x16 .* [mun]s .* [mun]s .* [mun]s' &&
        has 'predicted: without copies the GPU overtakes at about' && has 'predicted: with the copies the GPU overtakes' &&
        [ "$(wc -l <"$folder/c.csv")" = 3 ]
}
uses_link() { call 0 gemm --compare cpu,gpu --device emulator --sizes 16 --threads 1 --link 3 && has '3.00 GB/s: as --link says'; }

check "counters need the emulator" refused 2 "add --device emulator" gemm --counters
check "a device that is not known is refused" refused 2 "device" gemm --device tpu
check "a GPU that is not known is refused" refused 2 "expected one of P100" gemm --device emulator --counters --gpu K80
check "an operation without kernels is refused" refused 2 "no ladder for the GPU" gemv --device emulator
check "an operation without kernels is not compared" refused 2 "nothing to compare" gemv --compare cpu,gpu
check "the emulator draws no times" refused 2 "mean nothing" gemm --device emulator --svg "$folder/t.svg"
check "compared with what else is refused" refused 2 "compare" gemm --compare cpu,tpu
check "a negative link is refused" refused 2 "link" gemm --compare cpu,gpu --link -1
if [ -e "$(dirname "$rungs")/librungs_emulator_checked.so" ]; then
    check "and a device means the GPU's" refused 2 "interleaved, .*or all" reduce --device emulator --rungs nothing
    check "the emulator verifies two sizes and shows no times" verifies
    check "--rungs selects" selects
    check "a transposed size is skipped, with the reason" skips
    check "--counters shows sectors, and predicts for every GPU" counts
    check "--gpu predicts for one" counts_for_one
    check "--lines names lines" counts_lines
    check "the emulator that checks" checks
    check "--csv and --json carry the counters" writes
else
    skipped=$((skipped + 1))
    echo "skipped: the emulator: it was not built (no C++ compiler)"
fi
if [ -e "$(dirname "$rungs")/librungs_gpu.so" ]; then
    skipped=$((skipped + 1))
    echo "skipped: without a device: there may be one"
else
    check "without a device one sentence says what to do" no_device
fi
check "--compare predicts where the GPU overtakes" compares
check "--link says how fast copies are" uses_link

finish "cli/bench_gpu"
