/* A planted mistake, which the emulator must find on the marked line: half a warp waits at a barrier of the block, the other
 * half at one of the warp.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
crossed(float *x)
{
    if (threadIdx.x < 16)
        __syncthreads(); // WRONG: deadlock
    else
        __syncwarp();
    x[threadIdx.x] = 1;
}

extern "C" void
wrong_deadlock(void)
{
    float *x;
    cudaMalloc(&x, 32 * sizeof(*x));
    cudaMemset(x, 0, 32 * sizeof(*x));
    crossed<<<1, 32>>>(x);
    cudaFree(x);
}
