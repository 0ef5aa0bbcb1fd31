/* A planted mistake, which the emulator must find on the marked line: memory that is never freed.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
zero(float *x)
{
    x[threadIdx.x] = 0;
}

extern "C" void
wrong_leak(void)
{
    float *x;
    cudaMalloc(&x, 64 * sizeof(*x)); // WRONG: leak
    zero<<<1, 64>>>(x);
}
