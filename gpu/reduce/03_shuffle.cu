/* reduce, rung 3: shuffle.
 * Idea      a warp adds its 32 elements from register to register (gpu/warp.cuh); the 8 sums of the warps go through shared
 *           memory, and are added in the same way.
 * Before    9 barriers, and 2 reads and a write of shared memory for each addition.
 * Now       2 barriers, 5 + 5 shuffles, 8 floats of shared memory. Lanes of a warp go together and need no barrier.
 * Costs     still one element a thread: most of the time goes into starting blocks, and each waits for its only load.
 * Wants     nothing (any n).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/reduce/reduce.h"
#include "gpu/warp.cuh"

enum { THREADS = 256 };

static __global__ void
reduce_shuffle(size_t n, const float *x, float *sums)
{
    __shared__ float of_warp[THREADS / WARP];
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const float sum = block_sum(i < n ? x[i] : 0, of_warp);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

void
launch_reduce_shuffle(size_t n, const float *x, float *sum, float *work)
{
    size_t blocks;
    do {
        blocks = n > 0 ? (n - 1) / THREADS + 1 : 1;
        float *sums = blocks == 1 ? sum : work;
        reduce_shuffle<<<(unsigned)blocks, THREADS>>>(n, x, sums);
        n = blocks;
        x = sums;
        work += blocks;
    } while (blocks > 1);
}
