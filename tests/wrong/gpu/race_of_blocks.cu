/* A planted mistake, which the emulator must find on the marked line: blocks add to one sum without an atomic.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
total(const float *x, float *sum)
{
    if (threadIdx.x == 0)
        *sum += x[blockIdx.x]; // WRONG: race of blocks
}

extern "C" void
wrong_race_of_blocks(void)
{
    float *x;
    cudaMalloc(&x, 9 * sizeof(*x));
    cudaMemset(x, 0, 9 * sizeof(*x));
    total<<<8, 32>>>(x, x + 8);
    cudaFree(x);
}
