/* reduce, rung 1: interleaved.
 * Idea      a block adds 256 elements in shared memory in 8 steps: first neighbours, then sums of neighbours, .. Its sum goes to
 *           work; the same kernel adds up those, until one block is enough.
 *
 *           step 1    s0+s1  .    s2+s3  .    s4+s5  .    s6+s7  .       thread 2 step k adds s[2 step k + step]
 *           step 2    +++++  .    .      .    +++++  .    .      .
 *           step 4    +++++  .    .      .    .      .    .      .
 *
 * Costs     the threads that add are spread over all warps: in steps 1 to 16 every warp diverges, and all 8 warps are busy with
 *           the work of one.
 * Wants     nothing (any n).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/reduce/reduce.h"
#include <cuda_runtime.h>

enum { THREADS = 256 };

static __global__ void
reduce_interleaved(size_t n, const float *x, float *sums)
{
    __shared__ float s[THREADS];
    const unsigned t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * THREADS + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (unsigned step = 1; step < THREADS; step *= 2) {
        if (t % (2 * step) == 0)
            s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = s[0];
}

void
launch_reduce_interleaved(size_t n, const float *x, float *sum, float *work)
{
    size_t blocks;
    do {
        blocks = n > 0 ? (n - 1) / THREADS + 1 : 1;
        float *sums = blocks == 1 ? sum : work;
        reduce_interleaved<<<(unsigned)blocks, THREADS>>>(n, x, sums);
        n = blocks;
        x = sums;
        work += blocks;
    } while (blocks > 1);
}
