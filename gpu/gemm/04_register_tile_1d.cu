/* gemm, rung 4: register tile, one dimension.
 * Idea      each thread has 8 elements of C below each other, with their sums in registers. An element of B that it reads from
 *           shared memory serves all 8.
 * Before    two loads from shared memory for each multiplication.
 * Now       9 loads for 8: one of b, eight of a. A block of 512 threads has 64 x 64 elements of C, so that each element of a tile
 *           is read from memory once for 64 uses in place of 32.
 *
 *               b[k][x]   .          thread t, for each k:
 *           a[y+0][k]  .  t
 *           a[y+1][k]  .  t              sum[0] += a[y+0][k] b[k][x]
 *             ..          ..             sum[1] += a[y+1][k] b[k][x]
 *           a[y+7][k]  .  t              ..
 *
 * Costs     a tile's depth is 8 only, so that each thread loads one element of either tile.
 * Wants     nothing (any M, N, K).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/gemm/gemm.h"
#include <cuda_runtime.h>

enum { TILE = 64, DEPTH = 8, ROWS = 8, THREADS = TILE * TILE / ROWS };

/* EXERCISE 05.3  Register tile (30 min, about 20 lines)
 * As 05.2, but a block has TILE x TILE elements of C and only THREADS threads: each computes ROWS elements below
 * each other, rows m0 + y .. m0 + y + ROWS - 1 of column n0 + x. It keeps their sums in an array of its own, sum[ROWS], all
 * loops over which have the constant bound ROWS (`#pragma unroll` before them), so that it stays in registers. For each k it
 * reads one element of b from shared memory and uses it for all ROWS sums. The tiles are DEPTH deep: a thread loads
 * a[a_m][a_k] and b[b_k][b_n], 0 where the matrices end.
 */
static __global__ void
gemm_register_tile_1d(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta,
                      float *C, int ldc)
{
    __shared__ float a[TILE][DEPTH], b[DEPTH][TILE];
    const int t = threadIdx.x, m0 = blockIdx.y * TILE, n0 = blockIdx.x * TILE;
    const int a_m = t / DEPTH, a_k = t % DEPTH, b_k = t / TILE, b_n = t % TILE; /* what it loads */
    const int x = t % TILE, y = t / TILE * ROWS;                                /* what it computes */

    /* BEGIN SOLUTION 05.3 */
    float sum[ROWS] = {0};
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        a[a_m][a_k] = m0 + a_m < M && k0 + a_k < K ? A[(size_t)(m0 + a_m) * lda + k0 + a_k] : 0;
        b[b_k][b_n] = k0 + b_k < K && n0 + b_n < N ? B[(size_t)(k0 + b_k) * ldb + n0 + b_n] : 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            const float one = b[k][x];
#pragma unroll
            for (int i = 0; i < ROWS; i++)
                sum[i] += a[y + i][k] * one;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        if (m0 + y + i >= M || n0 + x >= N)
            continue;
        float *c = &C[(size_t)(m0 + y + i) * ldc + n0 + x];
        *c = beta == 0 ? alpha * sum[i] : alpha * sum[i] + beta * *c;
    }
    /* END SOLUTION */
}

void
launch_gemm_register_tile_1d(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
                             float beta, float *C, int ldc)
{
    if (M == 0 || N == 0)
        return;
    const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    gemm_register_tile_1d<<<grid, THREADS>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}
