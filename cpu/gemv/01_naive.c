/* gemv, rung 1: naive.
 * Idea      the formula as it stands: y_i is the sum over j of A_ij x_j.
 * Cost      2 M N flops and 4 M N bytes of A: half a flop a byte, so memory is the limit in the end.
 * But       each addition waits for the one before: 3 or 4 cycles for 2 flops, whatever the vectors could do. The compiler must
 *           keep the order of a floating-point sum (another order rounds differently), so it cannot fix this.
 * Model     M N steps of a chain, at the pace of one that was measured; or the bytes, if they take longer. From 256 columns: of
 *           shorter rows the processor begins the next before one has ended.
 * Wants     nothing (any M, N).
 * Lecture   lectures/02-backpropagation.md
 * SPDX-License-Identifier: MIT */
#include "cpu/gemv/gemv.h"

void
gemv_naive(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    for (int i = 0; i < M; i++) {
        const float *row = A + (size_t)i * (size_t)lda;
        float sum = 0.0f;
        for (int j = 0; j < N; j++)
            sum += row[j] * x[j];
        gemv_finish(1, alpha, &sum, beta, y + i);
    }
}
