/* A planted mistake, which the emulator must find on the marked line: more than 48 KiB of shared memory must be requested
 * (cudaFuncSetAttribute).
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
buffered(float *x)
{
    extern __shared__ float buffer[];
    buffer[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = buffer[threadIdx.x];
}

extern "C" void
wrong_too_much_shared(void)
{
    float *x;
    cudaMalloc(&x, 64 * sizeof(*x));
    cudaMemset(x, 0, 64 * sizeof(*x));
    buffered<<<1, 64, 64 * 1024>>>(x); // WRONG: launch over the limits
    cudaFree(x);
}
