/* A planted mistake, which the emulator must find on the marked line: the array has no room for the last thread's value. On
 * a GPU it lands in the next array.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
shift(float *x)
{
    __shared__ float tile[64], next[64];
    next[threadIdx.x] = 1;
    tile[threadIdx.x + 1] = x[threadIdx.x]; // WRONG: out of bounds
    __syncthreads();
    if (threadIdx.x > 0)
        x[threadIdx.x] = tile[threadIdx.x] * next[threadIdx.x];
}

extern "C" void
wrong_shared_overrun(void)
{
    float *x;
    cudaMalloc(&x, 64 * sizeof(*x));
    cudaMemset(x, 0, 64 * sizeof(*x));
    shift<<<1, 64>>>(x);
    cudaFree(x);
}
