/* reduce, rung 4: vectorised.
 * Idea      a grid-stride loop: at most 1024 blocks, however long x is; each thread strides along x by the whole grid, reads four
 *           floats at once (strided_sum.cuh) and keeps its sums in registers. A second launch, of one block, adds the blocks'
 *           sums.
 * Before    one load of 4 bytes for each thread, and a tree in every block of 256 elements.
 * Now       a quarter of the loads, several in flight at once, and one tree for each block: the additions of the trees no longer
 *           count.
 *
 *           x   | block 0 | block 1 | .. | block 1023 | block 0 | block 1 | ..       neighbours in a warp read neighbours
 *
 * Costs     a second launch, some microseconds, for at most 1024 sums.
 * Wants     nothing (any n).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/reduce/reduce.h"
#include "gpu/reduce/strided_sum.cuh"
#include "gpu/warp.cuh"

static __global__ void
reduce_vectorised(size_t n, const float *x, float *sums)
{
    __shared__ float of_warp[REDUCE_THREADS / WARP];
    const size_t thread = (size_t)blockIdx.x * REDUCE_THREADS + threadIdx.x;
    const float sum = block_sum(strided_sum(n, x, thread, (size_t)gridDim.x * REDUCE_THREADS), of_warp);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

void
launch_reduce_vectorised(size_t n, const float *x, float *sum, float *work)
{
    const unsigned blocks = reduce_blocks(n);
    reduce_vectorised<<<blocks, REDUCE_THREADS>>>(n, x, blocks == 1 ? sum : work);
    if (blocks > 1)
        reduce_vectorised<<<1, REDUCE_THREADS>>>(blocks, work, sum);
}
