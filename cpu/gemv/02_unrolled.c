/* gemv, rung 2: unrolled.
 * Idea      four accumulators, each with a quarter of the columns: four additions are under way at once.
 * Before    one chain of N dependent additions a row.
 * Now       four chains of N / 4. The order of the sum is another one, so the last bits of y are too: the compiler may not make
 *           this step for us.
 * Model     M N / 4 steps of a chain, or the bytes. Too good by a tenth or more: the loads take their share, too.
 * Wants     nothing (any M, N): the last N % 4 columns go one by one.
 * Lecture   lectures/02-backpropagation.md
 * SPDX-License-Identifier: MIT */
#include "cpu/gemv/gemv.h"

void
gemv_unrolled(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    int quarter = N / 4;
    for (int i = 0; i < M; i++) {
        const float *row = A + (size_t)i * (size_t)lda;
        float sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
        for (int j = 0; j < quarter; j++) {
            sum0 += row[j] * x[j];
            sum1 += row[j + quarter] * x[j + quarter];
            sum2 += row[j + 2 * quarter] * x[j + 2 * quarter];
            sum3 += row[j + 3 * quarter] * x[j + 3 * quarter];
        }
        for (int j = 4 * quarter; j < N; j++)
            sum0 += row[j] * x[j];
        float sum = (sum0 + sum1) + (sum2 + sum3);
        gemv_finish(1, alpha, &sum, beta, y + i);
    }
}
