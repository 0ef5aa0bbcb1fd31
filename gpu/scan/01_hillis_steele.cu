/* scan, rung 1: Hillis and Steele.
 * Idea      1024 elements in shared memory; in step k each adds the one 2^k before it. After 10 steps each holds the sum of all
 *           before it. One block does so chunk by chunk, and carries the sum of what it has passed.
 *
 *                      x0    x1    x2    x3    x4             double-buffered: a step reads one and writes the other,
 *           before 1   0     01    12    23    34             or a thread would read what another has written already
 *           before 2   0     01    012   0123  1234
 *           before 4   0     01    012   0123  01234
 *
 * Costs     9217 additions where 1023 would do: log2(1024) for almost each element. One block, so one multiprocessor of a
 *           hundred.
 * Wants     nothing (any n).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/scan/scan.h"
#include <cuda_runtime.h>

enum { THREADS = 1024 };

static __global__ void
scan_hillis_steele(size_t n, const float *x, float *y)
{
    __shared__ float s[2][THREADS];
    const unsigned t = threadIdx.x;
    float carry = 0;
    for (size_t begin = 0; begin < n; begin += THREADS) {
        const size_t i = begin + t;
        int now = 0;
        s[now][t] = i < n ? x[i] : 0;
        __syncthreads();
        for (unsigned step = 1; step < THREADS; step *= 2, now = 1 - now) {
            s[1 - now][t] = t >= step ? s[now][t - step] + s[now][t] : s[now][t];
            __syncthreads();
        }
        if (i < n)
            y[i] = carry + s[now][t];
        carry += s[now][THREADS - 1];
        __syncthreads(); /* before the next chunk is written over it */
    }
}

void
launch_scan_hillis_steele(size_t n, const float *x, float *y, float *work)
{
    (void)work;
    if (n > 0)
        scan_hillis_steele<<<1, THREADS>>>(n, x, y);
}
