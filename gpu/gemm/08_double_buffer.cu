/* gemm, rung 8: double buffering.
 * Idea      two pairs of tiles in shared memory: while the threads multiply one, the next is copied asynchronously (cp.async),
 *           without going through registers.
 * Before    load | barrier | multiply | barrier: during a load nothing was multiplied, unless another block was.
 * Now       one barrier for each tile. After it all threads see this tile, and none reads the other pair any more.
 *
 *           tile     0         1         2
 *           copy    |000|111111|222222|333333|..
 *           use          |00000 |11111 |22222 |..          wait and barrier at each |
 *
 *           Copies cannot transpose A's tile. So a thread reads four neighbours of a row of a, that is four k, and keeps b's
 *           four rows of these k in registers: still 24 loads of 16 bytes for 4 x 128 multiplications.
 *
 * Costs     twice the shared memory: 32 KiB.
 * Wants     compute capability 8.0 (below, the copies are synchronous); any M, N, K.   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/gemm/copies.cuh"
#include "gpu/gemm/gemm.h"

enum { TILE = 128, DEPTH = 16, WARP_TILE = 64, WARPS_ACROSS = TILE / WARP_TILE, THREADS = 128 };
enum { ROWS = 16, COLUMNS = 8, DOWN = 4, ACROSS = 32 }; /* of a thread: every fourth row; twice four columns */

static __device__ inline void
multiply_tiles(float (*sum)[COLUMNS], const float (*a)[DEPTH], const float (*b)[TILE], int y, int x)
{
#pragma unroll
    for (int k = 0; k < DEPTH; k += 4) {
        float rows[4][COLUMNS];
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < COLUMNS; j += 4)
                read4(&rows[i][j], &b[k + i][x + j / 4 * ACROSS]);
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            float four[4];
            read4(four, &a[y + i * DOWN][k]);
#pragma unroll
            for (int of = 0; of < 4; of++)
#pragma unroll
                for (int j = 0; j < COLUMNS; j++)
                    sum[i][j] += four[of] * rows[of][j];
        }
    }
}

static __global__
__launch_bounds__(THREADS) void gemm_double_buffer(int M, int N, int K, float alpha, const float *A, int lda,
                                                   const float *B, int ldb, float beta, float *C, int ldc)
{
    __shared__ __align__(16) float a[2][TILE][DEPTH], b[2][DEPTH][TILE];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int m0 = blockIdx.y * TILE, n0 = blockIdx.x * TILE;
    const int y = warp / WARPS_ACROSS * WARP_TILE + lane / 8, x = warp % WARPS_ACROSS * WARP_TILE + lane % 8 * 4;
    float sum[ROWS][COLUMNS] = {{0}};
    copy_tile<TILE, DEPTH, THREADS>(a[0], A, lda, m0, M, 0, K);
    copy_tile<DEPTH, TILE, THREADS>(b[0], B, ldb, 0, K, n0, N);
    __pipeline_commit();
    for (int k0 = 0, now = 0; k0 < K; k0 += DEPTH, now = 1 - now) {
        __pipeline_wait_prior(0);
        __syncthreads();
        if (k0 + DEPTH < K) {
            copy_tile<TILE, DEPTH, THREADS>(a[1 - now], A, lda, m0, M, k0 + DEPTH, K);
            copy_tile<DEPTH, TILE, THREADS>(b[1 - now], B, ldb, k0 + DEPTH, K, n0, N);
            __pipeline_commit();
        }
        multiply_tiles(sum, a[now], b[now], y, x);
    }
    const bool c_aligned = rows_are_aligned(C, ldc);
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const int m = m0 + y + i * DOWN, end = m < M ? N : 0;
#pragma unroll
        for (int j = 0; j < COLUMNS; j += 4)
            store4(&C[(size_t)m * ldc], n0 + x + j / 4 * ACROSS, end, c_aligned, alpha, &sum[i][j], beta);
    }
}

void
launch_gemm_double_buffer(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb,
                          float beta, float *C, int ldc)
{
    if (M == 0 || N == 0)
        return;
    const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    gemm_double_buffer<<<grid, THREADS>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}
