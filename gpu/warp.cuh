/* What the 32 threads of a warp, and the warps of a block, compute together. Shuffles copy a value from the registers of one lane
 * to those of another: no shared memory, no barrier.
 *
 *     lane     0     1     2     3        xor 2:  each lane adds the value of the lane two further on, or back
 *              a     b     c     d
 *             a+c   b+d   c+a   d+b       xor 1:  the same with its neighbour
 *             all four lanes hold (a+c)+(b+d), and the same bits: a sum of two does not depend on their order
 *
 * SPDX-License-Identifier: MIT */
#ifndef GPU_WARP_CUH
#define GPU_WARP_CUH

#include <cuda_runtime.h>

enum { WARP = 32 };
#define WARP_ALL 0xffffffffu

/* The sum over the warp, for each lane. All 32 must call it; so for the others here. */
template <typename Number>
static __device__ inline Number
warp_sum(Number v)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        v += __shfl_xor_sync(WARP_ALL, v, step);
    return v;
}

/* The largest number of the warp, for each lane. A NaN is never the largest. */
static __device__ inline float
warp_max(float v)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        v = fmaxf(v, __shfl_xor_sync(WARP_ALL, v, step));
    return v;
}

/* For each lane the sum of its value and those of the lanes before it. */
static __device__ inline float
warp_scan(float v)
{
    const int lane = threadIdx.x % WARP;
    for (int step = 1; step < WARP; step *= 2) {
        const float before = __shfl_up_sync(WARP_ALL, v, step);
        if (lane >= step)
            v += before;
    }
    return v;
}

/* The sum over a block of at most 32 whole warps, side by side in x: for each thread, and the same bits for all. sums: in shared
 * memory, a number for each warp. All threads of the block must call it. */
template <typename Number>
static __device__ inline Number
block_sum(Number v, Number *sums)
{
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    v = warp_sum(v);
    if (lane == 0)
        sums[warp] = v;
    __syncthreads();
    v = lane < blockDim.x / WARP ? sums[lane] : 0;
    __syncthreads(); /* the next call may write sums */
    return warp_sum(v);
}

#endif
