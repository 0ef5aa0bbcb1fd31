/* Asynchronous copies of tiles into shared memory (cp.async, from compute capability 8.0 on). For gpu/gemm/.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_GEMM_COPIES_CUH
#define GPU_GEMM_COPIES_CUH

#include "gpu/gemm/vectors.cuh"
#include <cuda_pipeline.h>

/* Issues the copy of row[at .. at + 3], with 0 from row[end] on. */
static __device__ inline void
copy4(float *shared, const float *row, int at, int end, bool aligned)
{
    if (aligned && at + 4 <= end) {
        __pipeline_memcpy_async(shared, &row[at], 16);
        return;
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (at + i < end)
            __pipeline_memcpy_async(&shared[i], &row[at + i], 4);
        else
            shared[i] = 0;
    }
}

/* All threads of the block begin to copy a tile of X[rows][columns], whose rows begin `step` floats apart; outside of X it is 0.
 * It is complete after __pipeline_commit, __pipeline_wait_prior and __syncthreads.
 *
 *     row0 ->  +--------------+ TILE_ROWS     a thread copies four neighbours of a row, then the next
 *              | t0  t1 ..    |
 *              +--------------+
 *              column0, TILE_COLUMNS (a multiple of 4); in shared memory a row has TILE_STEP floats
 */
template <int TILE_ROWS, int TILE_COLUMNS, int THREADS, int TILE_STEP>
static __device__ inline void
copy_tile(float (*tile)[TILE_STEP], const float *X, int step, int row0, int rows, int column0, int columns)
{
    const bool aligned = rows_are_aligned(X, step);
    const int in_row = TILE_COLUMNS / 4;
#pragma unroll
    for (int i = threadIdx.x; i < TILE_ROWS * in_row; i += THREADS) {
        const int row = i / in_row, column = i % in_row * 4;
        copy4(&tile[row][column], &X[(size_t)(row0 + row) * step], column0 + column, row0 + row < rows ? columns : 0,
              aligned);
    }
}

#endif
