/* The scan of one chunk by one block, which rungs 3 to 5 have in common. SPDX-License-Identifier: MIT */
#ifndef GPU_SCAN_BLOCK_SCAN_CUH
#define GPU_SCAN_BLOCK_SCAN_CUH

#include "gpu/warp.cuh"

enum { SCAN_THREADS = 1024 };

/* For each thread the sum of its value and of those of the threads before it. *total becomes the sum of all.
 *
 *     1   each warp scans its 32 values:                     | . . . 3 | . . . 7 | . . . 5 |
 *     2   the first warp scans the warps' sums 3 7 5:        3   10   15
 *     3   each warp adds the sum of the warps before it:     | +0      | +3      | +10     |
 *
 * sums: SCAN_THREADS / WARP floats of shared memory. All SCAN_THREADS threads of the block must call it. */
static __device__ inline float
block_scan(float v, float *sums, float *total)
{
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    v = warp_scan(v);
    if (lane == WARP - 1)
        sums[warp] = v;
    __syncthreads();
    if (warp == 0)
        sums[lane] = warp_scan(sums[lane]);
    __syncthreads();
    if (warp > 0)
        v += sums[warp - 1];
    *total = sums[SCAN_THREADS / WARP - 1];
    __syncthreads(); /* the next call may write sums */
    return v;
}

/* One block scans x chunk by chunk, and carries the sum of what it has passed. */
static __device__ inline void
scan_by_one_block(size_t n, const float *x, float *y)
{
    __shared__ float sums[SCAN_THREADS / WARP];
    float carry = 0, total;
    for (size_t begin = 0; begin < n; begin += SCAN_THREADS) {
        const size_t i = begin + threadIdx.x;
        const float sum = block_scan(i < n ? x[i] : 0, sums, &total);
        if (i < n)
            y[i] = carry + sum;
        carry += total;
    }
}

#endif
