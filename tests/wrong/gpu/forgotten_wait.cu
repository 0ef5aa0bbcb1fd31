/* A planted mistake, which the emulator must find on the marked line: copies (cp.async) are issued, committed, and used
 * before they have arrived.
 * SPDX-License-Identifier: MIT */
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

static __global__ void
staged(float *x)
{
    __shared__ float tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], sizeof(float)); // WRONG: forgotten wait
    __pipeline_commit();
    __syncthreads();
    x[threadIdx.x] = tile[threadIdx.x]; // WRONG: uninitialised
}

extern "C" void
wrong_forgotten_wait(void)
{
    float *x;
    cudaMalloc(&x, 64 * sizeof(*x));
    cudaMemset(x, 0, 64 * sizeof(*x));
    staged<<<1, 64>>>(x);
    cudaFree(x);
}
