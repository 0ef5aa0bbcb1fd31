/* A planted mistake, which the emulator must find on the marked line: half a warp reads values from the half that is not
 * there.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
half_sum(float *x)
{
    float value = x[threadIdx.x];
    if (threadIdx.x < 16)
        value += __shfl_down_sync(0x0000ffff, value, 16); // WRONG: wrong shuffle
    x[threadIdx.x] = value;
}

extern "C" void
wrong_shuffle_inactive(void)
{
    float *x;
    cudaMalloc(&x, 32 * sizeof(*x));
    cudaMemset(x, 0, 32 * sizeof(*x));
    half_sum<<<1, 32>>>(x);
    cudaFree(x);
}
