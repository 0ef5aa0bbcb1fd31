/* gemm, rung 10: tensor cores, bf16.
 * Idea      elements of A and B are converted to bf16 before they go to shared memory: a tile has half the bytes, and a tensor core
 *           multiplies twice as many at once: 16 x 16 by 16 x 16. Sums stay floats.
 * Before    TF32: a load of 4 bytes from shared memory for each element.
 * Now       2 bytes. cp.async cannot convert, so the next tile is prefetched into registers.
 *
 *           tile         0            1            2
 *           memory      |0000|       |1111|       |2222|           into registers, during the multiplications
 *           shared           |0|     .    |1|          |2|         rounded, into the pair of tiles that is not in use
 *           use                 |000000|    |111111|     |222222|
 *
 * Costs     bf16 keeps 7 bits of a float's 23: each element is rounded by at most 1 part in 2^8. Networks tolerate it; the error
 *           that is printed with the results says what it means for a product.
 * Wants     compute capability 8.0; any M, N, K.   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/gemm/fragments.cuh"
#include "gpu/gemm/gemm.h"
#include <cuda_bf16.h>

using namespace nvcuda;

enum { TILE = 128, DEPTH = 32, A_STEP = DEPTH + 8, B_STEP = TILE + 8, THREADS = 256 };
enum { FOURS = TILE * DEPTH / 4 / THREADS }; /* that a thread loads of each tile */
enum {
    DOWN = 4,
    ACROSS = 2,
    WARP_ROWS = DOWN * FRAGMENT,
    WARP_COLUMNS = ACROSS * FRAGMENT,
    WARPS_ACROSS = TILE / WARP_COLUMNS
};

typedef wmma::fragment<wmma::matrix_a, FRAGMENT, FRAGMENT, 16, __nv_bfloat16, wmma::row_major> FragmentA;
typedef wmma::fragment<wmma::matrix_b, FRAGMENT, FRAGMENT, 16, __nv_bfloat16, wmma::row_major> FragmentB;

/* This thread's elements of the tile of X at (row0, column0), COLUMNS wide, into registers. */
template <int COLUMNS>
static __device__ inline void
fetch(float4 fours[FOURS], const float *X, int step, int row0, int rows, int column0, int columns)
{
    const bool aligned = rows_are_aligned(X, step);
#pragma unroll
    for (int i = 0; i < FOURS; i++) {
        const int at = (threadIdx.x + i * THREADS) * 4, row = row0 + at / COLUMNS;
        fours[i] = load4(&X[(size_t)row * step], column0 + at % COLUMNS, row < rows ? columns : 0, aligned);
    }
}

/* Rounds it, into shared memory. */
template <int COLUMNS, int STEP>
static __device__ inline void
put(__nv_bfloat16 (*tile)[STEP], const float4 fours[FOURS])
{
#pragma unroll
    for (int i = 0; i < FOURS; i++) {
        const int at = (threadIdx.x + i * THREADS) * 4;
        __nv_bfloat162 *to = (__nv_bfloat162 *)&tile[at / COLUMNS][at % COLUMNS];
        to[0] = __floats2bfloat162_rn(fours[i].x, fours[i].y);
        to[1] = __floats2bfloat162_rn(fours[i].z, fours[i].w);
    }
}

static __device__ inline void
multiply_tiles(Sums16 (*sum)[ACROSS], const __nv_bfloat16 (*a)[A_STEP], const __nv_bfloat16 (*b)[B_STEP])
{
#pragma unroll
    for (int k = 0; k < DEPTH; k += 16) {
        FragmentA left[DOWN];
        FragmentB right[ACROSS];
#pragma unroll
        for (int i = 0; i < DOWN; i++)
            wmma::load_matrix_sync(left[i], &a[i * FRAGMENT][k], A_STEP);
#pragma unroll
        for (int j = 0; j < ACROSS; j++)
            wmma::load_matrix_sync(right[j], &b[k][j * FRAGMENT], B_STEP);
#pragma unroll
        for (int i = 0; i < DOWN; i++)
#pragma unroll
            for (int j = 0; j < ACROSS; j++)
                wmma::mma_sync(sum[i][j], left[i], right[j], sum[i][j]);
    }
}

static __global__
__launch_bounds__(THREADS) void gemm_tensor_bf16(int M, int N, int K, float alpha, const float *A, int lda,
                                                 const float *B, int ldb, float beta, float *C, int ldc)
{
    __shared__ __align__(32) __nv_bfloat16 a[2][TILE][A_STEP], b[2][DEPTH][B_STEP];
    const int warp = threadIdx.x / 32, m0 = blockIdx.y * TILE, n0 = blockIdx.x * TILE;
    const int y = warp / WARPS_ACROSS * WARP_ROWS, x = warp % WARPS_ACROSS * WARP_COLUMNS;
    float4 next_a[FOURS], next_b[FOURS];
    Sums16 sum[DOWN][ACROSS];
#pragma unroll
    for (int i = 0; i < DOWN * ACROSS; i++)
        wmma::fill_fragment(sum[i / ACROSS][i % ACROSS], 0.0f);
    fetch<DEPTH>(next_a, A, lda, m0, M, 0, K);
    fetch<TILE>(next_b, B, ldb, 0, K, n0, N);
    for (int k0 = 0, now = 0; k0 < K; k0 += DEPTH, now = 1 - now) {
        put<DEPTH>(a[now], next_a);
        put<TILE>(b[now], next_b);
        __syncthreads();
        if (k0 + DEPTH < K) {
            fetch<DEPTH>(next_a, A, lda, m0, M, k0 + DEPTH, K);
            fetch<TILE>(next_b, B, ldb, k0 + DEPTH, K, n0, N);
        }
        multiply_tiles(sum, &a[now][y], (const __nv_bfloat16(*)[B_STEP]) & b[now][0][x]);
    }
    __syncthreads(); /* all warps have read the tiles: a's memory is scratch now */
#pragma unroll
    for (int i = 0; i < DOWN; i++)
#pragma unroll
        for (int j = 0; j < ACROSS; j++)
            store_fragment(C, ldc, m0 + y + i * FRAGMENT, M, n0 + x + j * FRAGMENT, N, alpha, sum[i][j], beta,
                           (float *)&a[0][0][0] + warp * SCRATCH);
}

void
launch_gemm_tensor_bf16(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta,
                        float *C, int ldc)
{
    if (M == 0 || N == 0)
        return;
    const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    gemm_tensor_bf16<<<grid, THREADS>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}
