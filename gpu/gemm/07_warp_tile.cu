/* gemm, rung 7: warp tile.
 * Idea      between the block's tile and the thread's is the warp's: 64 x 64 elements of C, of which each thread has
 *           16 x 8. The 4 warps of a block share its 128 x 128.
 * Before    for each k, 4 loads of 16 bytes for 64 multiplications; a warp's 32 threads covered 2 rows and 16 columns.
 * Now       6 loads for 128: a larger tile needs fewer loads for each multiplication, and fewer threads share a block's work.
 *
 *           block                       warp: 4 x 8 threads, each with 4 x 4 elements, then again 16 rows below, 32 columns beside
 *           +-------+-------+
 *           | warp0 | warp1 |               t0 t1 .. t7   | t0 t1 .. t7
 *           +-------+-------+               t8 ..     t15 | ..
 *           | warp2 | warp3 |               ..        t31 |
 *           +-------+-------+               --------------+------------
 *                                           t0 t1 .. t7   |             (4 times down, 2 times across)
 *
 * Costs     128 registers for the sums alone, so occupancy is low: instruction-level parallelism must hide the latency of loads.
 *           A's tile is 16 deep: 4 columns are written at once, two of which are in the same banks.
 * Wants     nothing (any M, N, K).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/gemm/gemm.h"
#include "gpu/gemm/vectors.cuh"

enum { TILE = 128, DEPTH = 16, STEP = TILE + 4, WARP_TILE = 64, WARPS_ACROSS = TILE / WARP_TILE, THREADS = 128 };
enum { ROWS = 16, COLUMNS = 8, DOWN = 16, ACROSS = 32 }; /* of a thread; the stride between its tiles of 4 x 4 */

/* A's tile, transposed, and B's. */
static __device__ inline void
load_tiles(float (*a)[STEP], float (*b)[TILE], int M, int N, int K, const float *A, int lda, const float *B, int ldb,
           int m0, int n0, int k0)
{
    const bool a_aligned = rows_are_aligned(A, lda), b_aligned = rows_are_aligned(B, ldb);
#pragma unroll
    for (int i = threadIdx.x; i < TILE * DEPTH / 4; i += THREADS) {
        const int a_m = i / (DEPTH / 4), a_k = i % (DEPTH / 4) * 4, b_k = i / (TILE / 4), b_n = i % (TILE / 4) * 4;
        const float4 four = load4(&A[(size_t)(m0 + a_m) * lda], k0 + a_k, m0 + a_m < M ? K : 0, a_aligned);
        a[a_k][a_m] = four.x;
        a[a_k + 1][a_m] = four.y;
        a[a_k + 2][a_m] = four.z;
        a[a_k + 3][a_m] = four.w;
        *(float4 *)&b[b_k][b_n] = load4(&B[(size_t)(k0 + b_k) * ldb], n0 + b_n, k0 + b_k < K ? N : 0, b_aligned);
    }
}

static __global__
__launch_bounds__(THREADS) void gemm_warp_tile(int M, int N, int K, float alpha, const float *A, int lda,
                                               const float *B, int ldb, float beta, float *C, int ldc)
{
    __shared__ __align__(16) float a[DEPTH][STEP], b[DEPTH][TILE];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int m0 = blockIdx.y * TILE, n0 = blockIdx.x * TILE;
    const int y = warp / WARPS_ACROSS * WARP_TILE + lane / 8 * 4, x = warp % WARPS_ACROSS * WARP_TILE + lane % 8 * 4;
    float sum[ROWS][COLUMNS] = {{0}};
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        load_tiles(a, b, M, N, K, A, lda, B, ldb, m0, n0, k0);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float column[ROWS], row[COLUMNS];
#pragma unroll
            for (int i = 0; i < ROWS; i += 4)
                read4(&column[i], &a[k][y + i / 4 * DOWN]);
#pragma unroll
            for (int j = 0; j < COLUMNS; j += 4)
                read4(&row[j], &b[k][x + j / 4 * ACROSS]);
#pragma unroll
            for (int i = 0; i < ROWS; i++)
#pragma unroll
                for (int j = 0; j < COLUMNS; j++)
                    sum[i][j] += column[i] * row[j];
        }
        __syncthreads();
    }
    const bool c_aligned = rows_are_aligned(C, ldc);
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const int m = m0 + y + i / 4 * DOWN + i % 4, end = m < M ? N : 0;
#pragma unroll
        for (int j = 0; j < COLUMNS; j += 4)
            store4(&C[(size_t)m * ldc], n0 + x + j / 4 * ACROSS, end, c_aligned, alpha, &sum[i][j], beta);
    }
}

void
launch_gemm_warp_tile(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta,
                      float *C, int ldc)
{
    if (M == 0 || N == 0)
        return;
    const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    gemm_warp_tile<<<grid, THREADS>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}
