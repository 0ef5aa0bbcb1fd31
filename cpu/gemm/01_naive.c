/* gemm, rung 1: naive.
 * Idea      the definition: each element of C is a row of op(A) times a column of op(B).
 * Costs     2 M N K flops, one multiplication and one addition at a time; the column of an untransposed B is read with a stride
 *           of ldb, so that every element comes with a cache line of which the rest is not used.   Wants: nothing.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm/gemm.h"
#include <stddef.h>

void
gemm_naive(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
           const float *B, int ldb, float beta, float *C, int ldc)
{
    for (size_t m = 0; m < (size_t)M; m++) {
        for (size_t n = 0; n < (size_t)N; n++) {
            float sum = 0;
            for (size_t k = 0; k < (size_t)K; k++) {
                float a = transpose_a ? A[k * lda + m] : A[m * lda + k];
                float b = transpose_b ? B[n * ldb + k] : B[k * ldb + n];
                sum += a * b;
            }
            float *c = &C[m * ldc + n];
            *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
        }
    }
}
