/* A planted mistake, which the emulator must find on the marked line: a block of 33 x 32 threads.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
nothing(float *x)
{
    x[0] = 0;
}

extern "C" void
wrong_too_many_threads(void)
{
    float *x;
    cudaMalloc(&x, 64 * sizeof(*x));
    cudaMemset(x, 0, 64 * sizeof(*x));
    nothing<<<1, dim3(33, 32)>>>(x); // WRONG: launch over the limits
    cudaFree(x);
}
