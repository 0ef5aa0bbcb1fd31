/* A fragment of C, 16 x 16 sums that a warp holds, into memory: for the rungs with tensor cores. SPDX-License-Identifier: MIT */
#ifndef GPU_GEMM_FRAGMENTS_CUH
#define GPU_GEMM_FRAGMENTS_CUH

#include "gpu/gemm/vectors.cuh"
#include <mma.h>

enum { FRAGMENT = 16, SCRATCH_STEP = FRAGMENT + 4, SCRATCH = FRAGMENT * SCRATCH_STEP };

typedef nvcuda::wmma::fragment<nvcuda::wmma::accumulator, FRAGMENT, FRAGMENT, 8, float> Sums8;
typedef nvcuda::wmma::fragment<nvcuda::wmma::accumulator, FRAGMENT, FRAGMENT, 16, float> Sums16;

/* Which lane holds which element is not specified, so the sums go through shared memory: `scratch`, SCRATCH floats that are this
 * warp's own, at a multiple of 32 bytes. C's elements from (m0, n0) on become alpha sums + beta C, as far as C goes. */
template <typename Sums>
static __device__ inline void
store_fragment(float *C, int ldc, int m0, int M, int n0, int N, float alpha, const Sums &sums, float beta,
               float *scratch)
{
    nvcuda::wmma::store_matrix_sync(scratch, sums, SCRATCH_STEP, nvcuda::wmma::mem_row_major);
    __syncwarp();
#pragma unroll
    for (int i = threadIdx.x % 32; i < FRAGMENT * FRAGMENT; i += 32) {
        const int row = i / FRAGMENT, column = i % FRAGMENT;
        if (m0 + row < M && n0 + column < N) {
            float *c = &C[(size_t)(m0 + row) * ldc + n0 + column];
            *c = combine(alpha, scratch[row * SCRATCH_STEP + column], beta, beta == 0 ? 0 : *c);
        }
    }
    __syncwarp();
}

#endif
