/* What the rungs with TF32 have in common: everything but how two tiles are multiplied. Tiles come into shared memory by cp.async
 * while those before them are multiplied (rung 8), and a warp holds 4 x 2 fragments of C.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_GEMM_TF32_CUH
#define GPU_GEMM_TF32_CUH

#include "gpu/gemm/copies.cuh"
#include "gpu/gemm/fragments.cuh"

namespace wmma = nvcuda::wmma;

enum { TILE = 128, DEPTH = 16, A_STEP = DEPTH + 4, B_STEP = TILE + 8, THREADS = 256 };
enum {
    DOWN = 4,
    ACROSS = 2,
    WARP_ROWS = DOWN * FRAGMENT,
    WARP_COLUMNS = ACROSS * FRAGMENT,
    WARPS_ACROSS = TILE / WARP_COLUMNS
};

typedef wmma::fragment<wmma::matrix_a, FRAGMENT, FRAGMENT, 8, wmma::precision::tf32, wmma::row_major> FragmentA;
typedef wmma::fragment<wmma::matrix_b, FRAGMENT, FRAGMENT, 8, wmma::precision::tf32, wmma::row_major> FragmentB;

/* A warp's tile of C. TileProduct::multiply adds a product of DEPTH terms to its sums; a: its rows of the block's tile, b: its
 * columns. Every TileProduct of the tree has a name of its own. */
template <typename TileProduct>
static __device__ inline void
multiply_by_tiles(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta,
                  float *C, int ldc)
{
    __shared__ __align__(32) float a[2][TILE][A_STEP], b[2][DEPTH][B_STEP];
    const int warp = threadIdx.x / 32, m0 = blockIdx.y * TILE, n0 = blockIdx.x * TILE;
    const int y = warp / WARPS_ACROSS * WARP_ROWS, x = warp % WARPS_ACROSS * WARP_COLUMNS;
    Sums8 sum[DOWN][ACROSS];
#pragma unroll
    for (int i = 0; i < DOWN * ACROSS; i++)
        wmma::fill_fragment(sum[i / ACROSS][i % ACROSS], 0.0f);
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
        TileProduct::multiply(sum, &a[now][y], (const float(*)[B_STEP]) & b[now][0][x]);
    }
    __pipeline_wait_prior(0);
    __syncthreads(); /* all warps have read the tiles: a's memory is scratch now */
#pragma unroll
    for (int i = 0; i < DOWN; i++)
#pragma unroll
        for (int j = 0; j < ACROSS; j++)
            store_fragment(C, ldc, m0 + y + i * FRAGMENT, M, n0 + x + j * FRAGMENT, N, alpha, sum[i][j], beta,
                           &a[0][0][0] + warp * SCRATCH);
}

#endif
