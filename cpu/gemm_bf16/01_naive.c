/* gemm_bf16, rung 1: naive.
 * Idea      the definition: each element is widened to a float when it is used, which costs a shift.
 * Costs     what gemm's naive rung costs, and the shifts: half the bytes gain nothing here.   Wants: nothing.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm_bf16/gemm_bf16.h"

void
gemm_bf16_naive(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const Bf16 *A, int lda,
                const Bf16 *B, int ldb, float beta, float *C, int ldc)
{
    for (size_t m = 0; m < (size_t)M; m++) {
        for (size_t n = 0; n < (size_t)N; n++) {
            float sum = 0;
            for (size_t k = 0; k < (size_t)K; k++) {
                float a = bf16_to_float(transpose_a ? A[k * lda + m] : A[m * lda + k]);
                float b = bf16_to_float(transpose_b ? B[n * ldb + k] : B[k * ldb + n]);
                sum += a * b;
            }
            float *c = &C[m * ldc + n];
            *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
        }
    }
}
