/* Sums down the columns of a matrix [rows][columns]: a block for 32 columns. Thread (x, y) adds rows y, y + COLUMN_THREADS, .. of
 * column x, so that a warp's loads are coalesced; then the rows of partial sums are added.
 *
 *     x ->   0 1 2 .. 31
 *     y = 0  . . .    .     rows 0, 16, 32, ..
 *     y = 1  . . .    .     rows 1, 17, 33, ..
 *
 * SPDX-License-Identifier: MIT */
#ifndef GPU_BACKEND_COLUMNS_CUH
#define GPU_BACKEND_COLUMNS_CUH

#include "gpu/warp.cuh"

enum { COLUMN_BLOCK = WARP, COLUMN_THREADS = 16 };

static inline unsigned
column_blocks(int columns)
{
    return ((unsigned)columns + COLUMN_BLOCK - 1) / COLUMN_BLOCK;
}

/* In every thread the sum of its column's partial sums. All threads of the block must call it. */
static __device__ inline double
column_sum(double partial)
{
    __shared__ double partial_sums[COLUMN_THREADS][COLUMN_BLOCK];
    partial_sums[threadIdx.y][threadIdx.x] = partial;
    __syncthreads();
    double sum = 0;
    for (int y = 0; y < COLUMN_THREADS; y++)
        sum += partial_sums[y][threadIdx.x];
    __syncthreads(); /* before the next sum overwrites them */
    return sum;
}

#endif
