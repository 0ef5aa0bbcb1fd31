#!/bin/sh
# The reference's BLAS test programs accept our drop-in library (tools/blas_test.sh), and reject it with broken kernels: so it is our
# routines that they test, and they would notice.
# SPDX-License-Identifier: MIT
# Thorough: compiles the reference BLAS and its tests.
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/../cli/program.sh"
build=${rungs%/rungs}

accepted() { sh tools/blas_test.sh "$build/librungs_blas.so" >"$folder/out" 2>"$folder/err"; }
every_part_is_rejected() {
    sh tools/blas_test.sh "$build/tests/blas/librungs_blas_wrong.so" >"$folder/out" 2>"$folder/err" && return 1
    grep -Eq '^blas: 0 passed, [1-9][0-9]* failed, 0 skipped$' "$folder/out" && ! grep -q 'not called' "$folder/out"
}

verdict=0
accepted || verdict=$? # once: it takes a while
if grep '^blas: skipped: ' "$folder/out" >"$folder/reason"; then
    sed 's/^blas: skipped: /skipped /' "$folder/reason"
    skipped=1
else
    check "the reference's test programs accept the drop-in BLAS" [ "$verdict" = 0 ]
    check "they reject broken kernels" every_part_is_rejected
fi
finish "blas/reference"
