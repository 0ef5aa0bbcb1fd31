#!/bin/sh
# mpi4py's tests of collectives accept our drop-in library (tools/mpi_test.sh), and reject it with broken rungs. Nothing is fetched for
# this: `make mpi-test` does that, and runs more of them.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/../cli/program.sh"
build=${rungs%/rungs}
export DOWNLOAD=0 MODULES=test_cco_buf RANKS=3

status=0
sh tools/mpi_test.sh "$build/librungs_mpi.so" >"$folder/out" 2>"$folder/err" || status=$?
accepted() { [ "$status" = 0 ]; }
# A test that fails on some ranks leaves the others in calls that nobody else makes: the run may have to be stopped.
are_rejected() {
    TEST_TIMEOUT=30 sh tools/mpi_test.sh "$build/tests/mpi/librungs_mpi_wrong.so" >"$folder/out" 2>"$folder/err" && return 1
    grep -Eq '^mpi4py: .* [1-9][0-9]* failed' "$folder/out"
}

if grep '^mpi4py: skipped: ' "$folder/out" >"$folder/reason"; then
    sed 's/^mpi4py: skipped: /skipped /' "$folder/reason"
    skipped=1
else
    check "mpi4py's tests accept the drop-in library" accepted
    check "they reject broken rungs" are_rejected
fi
finish "mpi/mpi4py"
