/* Sums of numbers that many threads hold: of a warp, of a block, and down the columns of a matrix.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_BACKEND_SUMS_CUH
#define GPU_BACKEND_SUMS_CUH

#include <cuda_runtime.h>

enum { WARP = 32, BLOCK_WARPS = 8, BLOCK_THREADS = BLOCK_WARPS * WARP };
static const unsigned ALL_LANES = 0xffffffffu;

/* In every lane the sum of all 32. Each step adds the lane whose number differs in one bit:  0+16 .. | 0+8 .. | .. | 0+1 .. */
static __device__ inline double
warp_sum(double x)
{
    for (int bit = WARP / 2; bit > 0; bit /= 2)
        x += __shfl_xor_sync(ALL_LANES, x, bit);
    return x;
}

/* A NaN is never the largest. */
static __device__ inline float
warp_max(float x)
{
    for (int bit = WARP / 2; bit > 0; bit /= 2)
        x = fmaxf(x, __shfl_xor_sync(ALL_LANES, x, bit));
    return x;
}

/* In every thread the sum over a block of BLOCK_THREADS, once in a kernel. */
static __device__ inline double
block_sum(double x)
{
    __shared__ double of_warp[BLOCK_WARPS];
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    x = warp_sum(x);
    if (lane == 0)
        of_warp[warp] = x;
    __syncthreads();
    return warp_sum(lane < BLOCK_WARPS ? of_warp[lane] : 0);
}

/* A block for 32 columns of a matrix [rows][columns]: thread (x, y) adds rows y, y + COLUMN_THREADS, .. of column x, so that a warp
 * reads neighbours; then the rows of partial sums are added.
 *
 *     x ->   0 1 2 .. 31
 *     y = 0  . . .    .     rows 0, 16, 32, ..
 *     y = 1  . . .    .     rows 1, 17, 33, ..
 */
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
    __shared__ double parts[COLUMN_THREADS][COLUMN_BLOCK];
    parts[threadIdx.y][threadIdx.x] = partial;
    __syncthreads();
    double sum = 0;
    for (int y = 0; y < COLUMN_THREADS; y++)
        sum += parts[y][threadIdx.x];
    __syncthreads(); /* before the next sum overwrites them */
    return sum;
}

#endif
