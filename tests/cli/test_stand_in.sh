#!/bin/sh
# What the program does where a GPU is, on a machine that has none: the emulator stands in for the device and says that it is one.
# Its name, and so every table, still says that its times mean nothing.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"
RUNGS_GPU_LIBRARIES=$(dirname "$rungs")/tests/gpu/stand_in
export RUNGS_GPU_LIBRARIES
has() { grep -q -e "$1" "$folder/out"; }

measures() {
    call 0 bench gemm --device gpu --sizes 33 --rungs naive,register_tile_2d --rounds 5 --seconds 0.2 && has '^gemm 33x33x33' &&
        has '^  naive .*s .*FLOP/s' && has '^  register_tile_2d .*s .*FLOP/s' && ! has WRONG
}
compares() {
    call 0 bench gemm --compare cpu,gpu --device gpu --sizes 33,65 --threads 1 && has '^  33x33x33 .*s .*s .*s .*s .*s .*s' && has '^  measured: '
}
trains() {
    call 0 train mlp --data iris --epochs 2 --device gpu && has 'kernels: device' && has 'test accuracy'
}
counts_nothing() { call 2 bench gemm --device gpu --counters && grep -q 'add --device emulator' "$folder/err"; }

if [ -e "$RUNGS_GPU_LIBRARIES/librungs_gpu.so" ]; then
    check "the ladder is verified and measured" measures
    check "processor and device are compared" compares
    check "a network is trained" trains
    check "a device counts nothing" counts_nothing
else
    skipped=$((skipped + 1))
    echo "skipped: a device's stand-in: the emulator was not built (no C++ compiler)"
fi

finish "cli/stand_in"
