/* A planted mistake, which the emulator must find on the marked line: the grid is rounded up to whole blocks, and the
 * threads behind the end do not stop.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
set(float *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1; // WRONG: out of bounds
}

extern "C" void
wrong_missing_bound(void)
{
    float *x;
    cudaMalloc(&x, 100 * sizeof(*x));
    cudaMemset(x, 0, 100 * sizeof(*x));
    set<<<2, 64>>>(x);
    cudaFree(x);
}
