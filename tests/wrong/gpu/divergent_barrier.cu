/* A planted mistake, which the emulator must find on the marked line: threads that have nothing to do return before a
 * barrier that all must reach.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
neighbour(float *x, unsigned n)
{
    __shared__ float tile[64];
    if (threadIdx.x >= n)
        return;
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads(); // WRONG: divergent barrier
    x[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

extern "C" void
wrong_divergent_barrier(void)
{
    float *x;
    cudaMalloc(&x, 64 * sizeof(*x));
    cudaMemset(x, 0, 64 * sizeof(*x));
    neighbour<<<1, 64>>>(x, 40);
    cudaFree(x);
}
