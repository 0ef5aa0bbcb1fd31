/* A planted mistake, which the emulator must find on the marked line: the lanes of one warp do not run in step (since
 * Volta), so that they need a barrier of the warp between a step and the next.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
warp_sum(float *x)
{
    __shared__ float s[32];
    const int lane = threadIdx.x;
    s[lane] = x[lane];
    __syncwarp();
    for (int step = 16; step > 0; step /= 2)
        if (lane < step)
            s[lane] += s[lane + step]; // WRONG: race in a block
    __syncwarp();
    x[lane] = s[0];
}

extern "C" void
wrong_missing_syncwarp(void)
{
    float *x;
    cudaMalloc(&x, 32 * sizeof(*x));
    cudaMemset(x, 0, 32 * sizeof(*x));
    warp_sum<<<1, 32>>>(x);
    cudaFree(x);
}
