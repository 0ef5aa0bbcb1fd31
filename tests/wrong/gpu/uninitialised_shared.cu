/* A planted mistake, which the emulator must find on the marked line: the edge of a tile is not filled.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
smooth(float *x)
{
    __shared__ float tile[66];
    tile[threadIdx.x + 1] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = (tile[threadIdx.x] + tile[threadIdx.x + 1]) / 2; // WRONG: uninitialised
}

extern "C" void
wrong_uninitialised_shared(void)
{
    float *x;
    cudaMalloc(&x, 64 * sizeof(*x));
    cudaMemset(x, 0, 64 * sizeof(*x));
    smooth<<<1, 64>>>(x);
    cudaFree(x);
}
