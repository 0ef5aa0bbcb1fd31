/* A planted mistake, which the emulator must find on the marked line: a sum begins at what cudaMalloc left there.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
accumulate(float *x)
{
    x[threadIdx.x] += 1; // WRONG: uninitialised
}

extern "C" void
wrong_uninitialised_global(void)
{
    float *x;
    cudaMalloc(&x, 64 * sizeof(*x));
    accumulate<<<1, 64>>>(x);
    cudaFree(x);
}
