/* reduce, rung 5: atomic.
 * Idea      each block adds its sum to the result itself, with an atomic addition.
 * Before    a second launch for the sums of the blocks.
 * Now       one launch (and the result is set to 0 before it). At most 1024 atomic additions at one address.
 * Costs     the order of these additions is the order in which blocks happen to end. Float addition is not associative, so the
 *           last bits differ from run to run: a training run can then not be repeated.
 * Wants     nothing (any n).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/reduce/reduce.h"
#include "gpu/reduce/strided_sum.cuh"
#include "gpu/warp.cuh"

static __global__ void
reduce_atomic(size_t n, const float *x, float *total)
{
    __shared__ float of_warp[REDUCE_THREADS / WARP];
    const size_t thread = (size_t)blockIdx.x * REDUCE_THREADS + threadIdx.x;
    const float sum = block_sum(strided_sum(n, x, thread, (size_t)gridDim.x * REDUCE_THREADS), of_warp);
    if (threadIdx.x == 0)
        atomicAdd(total, sum);
}

void
launch_reduce_atomic(size_t n, const float *x, float *sum, float *work)
{
    (void)work;
    (void)cudaMemsetAsync(sum, 0, sizeof(*sum)); /* if it fails, the launch does, too */
    reduce_atomic<<<reduce_blocks(n), REDUCE_THREADS>>>(n, x, sum);
}
