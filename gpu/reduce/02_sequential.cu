/* reduce, rung 2: sequential.
 * Idea      the same tree with the far half added to the near half: the threads that add are the first ones.
 * Before    in steps 1 to 16 each of the 8 warps diverges.
 * Now       whole warps add or wait; only in the last five steps does one warp diverge. Neighbours read neighbours: no bank
 *           conflicts.
 *
 *           step 4    s0+s4  s1+s5  s2+s6  s3+s7  .  .  .  .       thread k < step adds s[k + step]
 *           step 2    +++++  +++++  .      .      .  .  .  .
 *           step 1    +++++  .      .      .      .  .  .  .
 *
 * Costs     a barrier after each step; half of the threads do nothing but load one element.
 * Wants     nothing (any n).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/reduce/reduce.h"
#include <cuda_runtime.h>

enum { THREADS = 256 };

static __global__ void
reduce_sequential(size_t n, const float *x, float *sums)
{
    __shared__ float s[THREADS];
    const unsigned t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * THREADS + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (unsigned step = THREADS / 2; step > 0; step /= 2) {
        if (t < step)
            s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = s[0];
}

void
launch_reduce_sequential(size_t n, const float *x, float *sum, float *work)
{
    size_t blocks;
    do {
        blocks = n > 0 ? (n - 1) / THREADS + 1 : 1;
        float *sums = blocks == 1 ? sum : work;
        reduce_sequential<<<(unsigned)blocks, THREADS>>>(n, x, sums);
        n = blocks;
        x = sums;
        work += blocks;
    } while (blocks > 1);
}
