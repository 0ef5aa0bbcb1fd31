/* A planted mistake, which the emulator must find on the marked line: the last thread reads one element too many.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
difference(const float *x, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i + 1] - x[i]; // WRONG: out of bounds
}

extern "C" void
wrong_off_by_one(void)
{
    enum { N = 100 };
    float *x, *y;
    cudaMalloc(&x, N * sizeof(float));
    cudaMalloc(&y, N * sizeof(float));
    cudaMemset(x, 0, N * sizeof(float));
    difference<<<2, 64>>>(x, y, N);
    cudaFree(x);
    cudaFree(y);
}
