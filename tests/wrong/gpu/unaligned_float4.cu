/* A planted mistake, which the emulator must find on the marked line: rows of 5 floats do not begin at multiples of 16
 * bytes.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
first_four(const float *x, float4 *y)
{
    y[threadIdx.x] = *(const float4 *)(x + 5 * threadIdx.x); // WRONG: misaligned
}

extern "C" void
wrong_unaligned_float4(void)
{
    float *x;
    float4 *y;
    cudaMalloc(&x, 64 * sizeof(*x));
    cudaMalloc(&y, 8 * sizeof(*y));
    cudaMemset(x, 0, 64 * sizeof(*x));
    first_four<<<1, 8>>>(x, y);
    cudaFree(x);
    cudaFree(y);
}
