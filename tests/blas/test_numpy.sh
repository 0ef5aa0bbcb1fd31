#!/bin/sh
# A foreign program on the drop-in BLAS: NumPy, where it was built against the system's libblas.so.3 (Debian's python3-numpy).
# The NumPy of PyPI brings an OpenBLAS of its own under other names and cannot be used.   PYTHON=.. names another Python.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/../cli/program.sh"
build=${rungs%/rungs}
unset RUNGS_GEMM

uses_system_blas() {
    "$1" -c 'import sys, numpy; sys.exit("/libblas.so.3" not in open("/proc/self/maps").read())' 2>/dev/null
}

# products LIBRARY [VARIABLE=VALUE..]: NumPy's products on that library.
products() {
    library=$1
    shift
    status=0
    env RUNGS_BLAS_VERBOSE=1 "$@" LD_PRELOAD="$library" timeout 300 "$python" tests/blas/numpy_products.py \
        >"$folder/out" 2>"$folder/err" || status=$?
    [ "$status" = 0 ]
}
is_right() { products "$build/librungs_blas.so" "$@" && grep -q '^librungs_blas: rung ' "$folder/err"; }

# More than half of all products go through the broken kernels; the rest have copies of their operands multiplied by NumPy itself.
is_noticed() {
    products "$build/tests/blas/librungs_blas_wrong.so" && return 1
    awk '/ products, / { found = $3 > $1 / 2 } END { exit !found }' "$folder/out"
}

python=
for candidate in ${PYTHON:-} /usr/bin/python3 python3; do
    [ -n "$python" ] || ! uses_system_blas "$candidate" || python=$candidate
done
if grep -q __asan_init "$build/librungs_blas.so"; then
    skipped=1
    echo "skipped NumPy: a library with AddressSanitizer cannot be loaded into foreign programs"
elif [ -z "$python" ]; then
    skipped=1
    echo "skipped NumPy: none that uses the system's BLAS (apt-get install python3-numpy; that of pip has its own)"
else
    check "NumPy's products are right" is_right A=b
    check "on one thread too" is_right OMP_NUM_THREADS=1
    check "on the naive rung too" is_right RUNGS_GEMM=naive
    check "broken kernels show: ours are called" is_noticed
fi
finish "blas/numpy"
