/* reduce, rung 6: last block.
 * Idea      blocks write their sums to work and count themselves. The one that finds itself the last knows that all sums are
 *           there, and adds them, in their order.
 * Before    a second launch (rung 4), or an order of additions that is not defined (rung 5).
 * Now       one launch (and a count is set to 0 before it), and the same bits as rung 4: whichever block is the last, it adds the
 *           same numbers in the same order.
 *
 *           block 3   work[3] = sum | fence | count was 0            the fence: a block that sees the count sees the sum
 *           block 0   work[0] = sum | fence | count was 1
 *           block 1   work[1] = sum | fence | count was 2: the last | fence | adds work[0 ..]
 *
 * Wants     nothing (any n).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/reduce/reduce.h"
#include "gpu/reduce/strided_sum.cuh"
#include "gpu/warp.cuh"

static __global__ void
reduce_last_block(size_t n, const float *x, float *total, float *work, unsigned *ready)
{
    __shared__ float of_warp[REDUCE_THREADS / WARP];
    __shared__ bool last;
    const size_t thread = (size_t)blockIdx.x * REDUCE_THREADS + threadIdx.x;
    const float sum = block_sum(strided_sum(n, x, thread, (size_t)gridDim.x * REDUCE_THREADS), of_warp);
    if (threadIdx.x == 0) {
        work[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(ready, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last)
        return;
    const float all = block_sum(strided_sum(gridDim.x, work, threadIdx.x, REDUCE_THREADS), of_warp);
    if (threadIdx.x == 0)
        *total = all;
}

void
launch_reduce_last_block(size_t n, const float *x, float *sum, float *work)
{
    const unsigned blocks = reduce_blocks(n);
    unsigned *ready = (unsigned *)(work + blocks);
    (void)cudaMemsetAsync(ready, 0, sizeof(*ready)); /* if it fails, the launch does, too */
    reduce_last_block<<<blocks, REDUCE_THREADS>>>(n, x, sum, work, ready);
}
