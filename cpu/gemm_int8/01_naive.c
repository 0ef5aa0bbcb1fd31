/* gemm_int8, rung 1: naive.
 * Idea      the definition, on whole numbers of 32 bits.
 * Costs     what gemm's naive rung costs, but for one thing: the order of a sum of whole numbers does not matter, so the
 *           compiler may take several at once where a row of op(A) and a column of op(B) both lie along memory.   Wants:
 *           nothing.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "cpu/gemm_int8/gemm_int8.h"
#include <stddef.h>

void
gemm_int8_naive(bool transpose_a, bool transpose_b, int M, int N, int K, const uint8_t *A, int lda, int zero_a,
                const int8_t *B, int ldb, int zero_b, int32_t *C, int ldc)
{
    const int longest = gemm_int8_longest(zero_a, zero_b);
    CHECK_THAT(K <= longest, "sums of %d products may leave 32 bits; %d are the limit", K, longest);
    for (size_t m = 0; m < (size_t)M; m++) {
        for (size_t n = 0; n < (size_t)N; n++) {
            int32_t sum = 0;
            for (size_t k = 0; k < (size_t)K; k++) {
                int32_t a = transpose_a ? A[k * lda + m] : A[m * lda + k];
                int32_t b = transpose_b ? B[n * ldb + k] : B[k * ldb + n];
                sum += (a - zero_a) * (b - zero_b);
            }
            C[m * ldc + n] = sum;
        }
    }
}
