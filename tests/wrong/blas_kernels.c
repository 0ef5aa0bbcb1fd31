/* Broken kernels for the drop-in BLAS: one element of each result is off. tools/blas.mk links them into a library of their own, in
 * the place of cpu/gemm/choose.c and cpu/gemv/06_openmp.c. The reference's test programs must reject it
 * (tests/blas/test_reference.sh), and NumPy must compute wrongly with it (tests/blas/test_numpy.sh): that proves that it is our
 * library which they test.
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm/choose.h"
#include "cpu/gemv/gemv.h"
#include <stddef.h>

static void
gemm_wrong(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
           const float *B, int ldb, float beta, float *C, int ldc)
{
    gemm_naive(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    C[(size_t)(M - 1) * (size_t)ldc + (size_t)(N - 1)] += 1.0f;
}

const GemmChoice gemm_choices[] = {{"wrong", gemm_wrong}, {NULL, NULL}};

const GemmChoice *
gemm_by_name(const char *name)
{
    (void)name;
    return NULL;
}

const GemmChoice *
gemm_best(void)
{
    return gemm_choices;
}

/* Two elements are right: when NumPy is imported it multiplies two vectors of two, and refuses to be imported if that is wrong. */
void
gemv_openmp(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    gemv_naive(M, N, alpha, A, lda, x, beta, y);
    if (M > 2 || N > 2)
        y[M - 1] += 1.0f;
}
