#!/bin/sh
# What build/librungs_blas.so offers and needs, and the environment variables that it reads.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/../cli/program.sh"
build=${rungs%/rungs}
library=$build/librungs_blas.so
rung_names=$(sed -n 's/^ *{"\([a-z_]*\)", gemm_.*/\1/p' cpu/gemm/choose.c)
program=$build/tests/blas/test_gemm
unset RUNGS_GEMM RUNGS_BLAS_VERBOSE

exports_eight_names() {
    nm -D --defined-only "$library" | awk '$2 ~ /[TDBRVWi]/ { print $3 }' | sort >"$folder/out"
    printf '%s\n' cblas_saxpy cblas_sdot cblas_sgemm cblas_sgemv saxpy_ sdot_ sgemm_ sgemv_ | cmp -s - "$folder/out"
}

# Another BLAS behind ours would compute in its place; MPI has no business in a foreign program, and nor have pinned threads.
needs_no_other_blas() {
    nm -D --undefined-only "$library" >"$folder/out"
    ! grep -Eiq ' U .*(blas|gem[mv]|MPI_|sched_setaffinity|dnnl)' "$folder/out"
}

# The tests call the library in one process, many times. Under AddressSanitizer one of them must do: cpu/test_gemm tries every rung.
one=''
if grep -q __asan_init "$library"; then
    one=CK_RUN_CASE=alpha_and_beta_scale
fi
# shellcheck disable=SC2086
run_tests() { env CK_FORK=no $one "$@" "$program" >"$folder/out" 2>"$folder/err"; }
# said TEXT: on exactly one line of stderr.
said() { [ "$(grep -c "$1" "$folder/err")" = 1 ]; }

is_quiet() { run_tests A=b && [ ! -s "$folder/err" ]; }
every_rung_computes() {
    for rung in $rung_names; do
        run_tests RUNGS_BLAS_VERBOSE=1 RUNGS_GEMM="$rung" && said "^librungs_blas: rung $rung of gemm, [0-9]* thread" || return 1
    done
}
top_rung_is_the_default() {
    run_tests RUNGS_BLAS_VERBOSE=1 RUNGS_GEMM= && said "^librungs_blas: rung ${rung_names##*
} of gemm"
}
unknown_rung_is_said_once() {
    run_tests RUNGS_GEMM=blokced && [ "$(wc -l <"$folder/err")" = 1 ] && said '"blokced"' && said 'did you mean blocked?' || return 1
    for rung in $rung_names; do
        said " $rung" || return 1
    done
}
threads_are_openmps() { run_tests RUNGS_BLAS_VERBOSE=1 OMP_NUM_THREADS="$1" && said "of gemm, $2 thread"; }

if ! command -v nm >/dev/null 2>&1; then
    skipped=$((skipped + 2))
    echo "skipped what the library exports and needs: there is no nm"
else
    check "exactly the eight names of the BLAS are exported" exports_eight_names
    if [ -n "$one" ]; then
        skipped=$((skipped + 1))
        echo "skipped what the library needs: AddressSanitizer brings names of its own"
    else
        check "no BLAS, MPI or pinning is needed" needs_no_other_blas
    fi
fi
check "there are rungs" [ -n "$rung_names" ]
check "nothing is printed unasked" is_quiet
check "RUNGS_GEMM: every rung passes the tests" every_rung_computes
check "the top rung is the default" top_rung_is_the_default
check "an unknown rung gets one sentence, and right results" unknown_rung_is_said_once
if grep -Eq 'GOMP_parallel|__kmpc_fork' "$library"; then
    check "OMP_NUM_THREADS=1 is obeyed" threads_are_openmps 1 1
    check "OMP_NUM_THREADS=3 is obeyed" threads_are_openmps 3 3
else
    check "without OpenMP there is one thread" threads_are_openmps 3 1
fi
finish "blas/library"
