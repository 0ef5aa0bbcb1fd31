/* gemm, rung 2: reordered.
 * Idea      swap the two inner loops: for each k, add a row of B, times one element of A, to a row of C.
 * Before    naive walks down a column of B: one float used of each cache line, and a sum that waits for itself.
 * Now       the inner loop goes along rows of B and C, its iterations are independent, and the compiler makes vectors of it. But
 *           C is loaded and stored again for every k.   Wants: nothing; pays for an untransposed B only.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm/gemm.h"
#include <stddef.h>

static void
scale_row(float *restrict c, size_t N, float beta)
{
    for (size_t n = 0; n < N; n++)
        c[n] = beta == 0 ? 0 : beta * c[n];
}

/* c[n] += a * b[n stride]. */
static void
add_row(float *restrict c, size_t N, float a, const float *restrict b, size_t stride)
{
    if (stride == 1)
        for (size_t n = 0; n < N; n++)
            c[n] += a * b[n];
    else
        for (size_t n = 0; n < N; n++)
            c[n] += a * b[n * stride];
}

void
gemm_reordered(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
               const float *B, int ldb, float beta, float *C, int ldc)
{
    for (size_t m = 0; m < (size_t)M; m++) {
        scale_row(&C[m * ldc], (size_t)N, beta);
        for (size_t k = 0; k < (size_t)K; k++) {
            float a = alpha * (transpose_a ? A[k * lda + m] : A[m * lda + k]);
            const float *b = transpose_b ? &B[k] : &B[k * ldb];
            add_row(&C[m * ldc], (size_t)N, a, b, transpose_b ? (size_t)ldb : 1);
        }
    }
}
