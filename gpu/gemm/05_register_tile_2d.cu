/* gemm, rung 5: register tile, two dimensions.
 * Idea      each thread has 8 x 8 elements of C: for each k it reads 8 elements of a and 8 of b, and multiplies each with each.
 * Before    9 loads from shared memory for 8 multiplications.
 * Now       16 for 64. A block of 256 threads has 128 x 128 elements of C.
 *
 *           b[k][x], b[k][x+16], ..          The 8 columns of a thread are 16 apart, not adjacent: then the 16 threads of a row
 *                t  . .  t  . .              read neighbours, which are in different banks. With adjacent columns they would read
 *       a[y][k]  t       t                   every 8th float, in 4 banks: 4-way bank conflicts.
 *                .
 *    a[y+16][k]  t       t
 *
 * Wants     nothing (any M, N, K).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/gemm/gemm.h"
#include <cuda_runtime.h>

enum { TILE = 128, DEPTH = 8, SIDE = 8, APART = TILE / SIDE, THREADS = APART * APART };

static __global__
__launch_bounds__(THREADS) void gemm_register_tile_2d(int M, int N, int K, float alpha, const float *A, int lda,
                                                      const float *B, int ldb, float beta, float *C, int ldc)
{
    __shared__ float a[TILE][DEPTH], b[DEPTH][TILE];
    const int m0 = blockIdx.y * TILE, n0 = blockIdx.x * TILE;
    const int x = threadIdx.x % APART, y = threadIdx.x / APART;
    float sum[SIDE][SIDE] = {{0}};
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
#pragma unroll
        for (int i = threadIdx.x; i < TILE * DEPTH; i += THREADS) {
            const int a_m = i / DEPTH, a_k = i % DEPTH, b_k = i / TILE, b_n = i % TILE;
            a[a_m][a_k] = m0 + a_m < M && k0 + a_k < K ? A[(size_t)(m0 + a_m) * lda + k0 + a_k] : 0;
            b[b_k][b_n] = k0 + b_k < K && n0 + b_n < N ? B[(size_t)(k0 + b_k) * ldb + n0 + b_n] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float column[SIDE], row[SIDE];
#pragma unroll
            for (int i = 0; i < SIDE; i++) {
                column[i] = a[y + i * APART][k];
                row[i] = b[k][x + i * APART];
            }
#pragma unroll
            for (int i = 0; i < SIDE; i++)
#pragma unroll
                for (int j = 0; j < SIDE; j++)
                    sum[i][j] += column[i] * row[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < SIDE; i++)
#pragma unroll
        for (int j = 0; j < SIDE; j++) {
            const int m = m0 + y + i * APART, n = n0 + x + j * APART;
            if (m >= M || n >= N)
                continue;
            float *c = &C[(size_t)m * ldc + n];
            *c = beta == 0 ? alpha * sum[i][j] : alpha * sum[i][j] + beta * *c;
        }
}

void
launch_gemm_register_tile_2d(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
                             float beta, float *C, int ldc)
{
    if (M == 0 || N == 0)
        return;
    const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    gemm_register_tile_2d<<<grid, THREADS>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}
