#!/bin/sh
# mpi4py's tests of collectives accept our drop-in library (tools/mpi_test.sh), and reject it with broken rungs. Nothing is fetched for
# this: `make mpi-test` does that, and runs more of them.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/../cli/program.sh"
build=${rungs%/rungs}
export DOWNLOAD=0 MODULES=test_cco_buf RANKS=3

accepted() { sh tools/mpi_test.sh "$build/librungs_mpi.so" >"$folder/out" 2>"$folder/err"; }
are_rejected() {
    TEST_TIMEOUT=100 sh tools/mpi_test.sh "$build/tests/mpi/librungs_mpi_wrong.so" >"$folder/out" 2>"$folder/err" && return 1
    grep -Eq '^mpi4py: .* [1-9][0-9]* failed' "$folder/out" && ! grep -q 'took nothing over' "$folder/out" || return 1
    for routine in Allreduce Reduce Bcast Reduce_scatter Allgather Alltoall Barrier; do
        grep -q "MPI_$routine: [1-9]" "$folder/out" || return 1
    done
}

accepted
if grep '^mpi4py: skipped: ' "$folder/out" >"$folder/reason"; then
    sed 's/^mpi4py: skipped: /skipped /' "$folder/reason"
    skipped=1
else
    check "mpi4py's tests accept the drop-in library" accepted
    check "they reject broken rungs" are_rejected
fi
finish "mpi/mpi4py"
