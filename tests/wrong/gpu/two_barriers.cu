/* A planted mistake, which the emulator must find on the marked line: each half of a block comes to a barrier of its own;
 * the two are not the same.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
halves(float *x)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x < 32) {
        __syncthreads(); // WRONG: divergent barrier
        x[threadIdx.x] = tile[63 - threadIdx.x];
    } else {
        __syncthreads();
        x[threadIdx.x] = tile[63 - threadIdx.x] + 1;
    }
}

extern "C" void
wrong_two_barriers(void)
{
    float *x;
    cudaMalloc(&x, 64 * sizeof(*x));
    cudaMemset(x, 0, 64 * sizeof(*x));
    halves<<<1, 64>>>(x);
    cudaFree(x);
}
