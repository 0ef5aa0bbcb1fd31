/* A planted mistake, which the emulator must find on the marked line: two warps exchange values through shared memory, and
 * nothing makes the second wait for the first.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
mirror(float *x)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = tile[63 - threadIdx.x]; // WRONG: race in a block
}

extern "C" void
wrong_missing_barrier(void)
{
    float *x;
    cudaMalloc(&x, 64 * sizeof(*x));
    cudaMemset(x, 0, 64 * sizeof(*x));
    mirror<<<1, 64>>>(x);
    cudaFree(x);
}
