/* gemv, rung 3: vector.
 * Idea      each accumulator is a vector of VECTOR_LANES sums, and four vectors are under way at once.
 *
 *               columns   0 .. 15   16 .. 31   32 .. 47   48 .. 63   64 .. 79  ..
 *               goes to   sum[0]    sum[1]     sum[2]     sum[3]     sum[0]    ..          (16 lanes)
 *
 * Before    four chains of scalar additions.
 * Now       4 * VECTOR_LANES chains; a flop costs 1 / VECTOR_LANES of an instruction. Each multiply-add still loads two vectors,
 *           one of A and one of x, and the load units are the limit while A is in cache.
 * Model     A and as much of x at the bandwidth of L1, or the bytes from the level that holds them. From 64 columns.
 * Wants     nothing (any M, N): the last N % VECTOR_LANES columns go one by one.
 * Lecture   lectures/02-backpropagation.md
 * SPDX-License-Identifier: MIT */
#include "cpu/gemv/gemv.h"

enum { CHAINS = 4 };

static float
dot(int N, const float *a, const float *x)
{
    Vector sum[CHAINS] = {{0.0f}};
    int j = 0;
    for (; N - j >= CHAINS * VECTOR_LANES; j += CHAINS * VECTOR_LANES)
        for (int k = 0; k < CHAINS; k++)
            sum[k] += vector_load(a + j + k * VECTOR_LANES) * vector_load(x + j + k * VECTOR_LANES);
    for (; N - j >= VECTOR_LANES; j += VECTOR_LANES)
        sum[0] += vector_load(a + j) * vector_load(x + j);
    float total = vector_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
    for (; j < N; j++)
        total += a[j] * x[j];
    return total;
}

void
gemv_vector(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    for (int i = 0; i < M; i++) {
        float sum = dot(N, A + (size_t)i * (size_t)lda, x);
        gemv_finish(1, alpha, &sum, beta, y + i);
    }
}
