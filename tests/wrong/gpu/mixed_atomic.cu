/* A planted mistake, which the emulator must find on the marked line: one thread adds atomically, another reads without: the
 * two still race.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
count(int *n, int *seen)
{
    if (threadIdx.x < 32)
        atomicAdd(n, 1);
    if (threadIdx.x == 32)
        *seen = *n; // WRONG: race in a block
}

extern "C" void
wrong_mixed_atomic(void)
{
    int *n;
    cudaMalloc(&n, 2 * sizeof(*n));
    cudaMemset(n, 0, 2 * sizeof(*n));
    count<<<1, 64>>>(n, n + 1);
    cudaFree(n);
}
