/* A planted mistake, which the emulator must find on the marked line: the barrier behind the product is missing, so that a
 * fast warp fills the tile for the next round while a slow one still reads it.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
rounds(float *x)
{
    __shared__ float tile[64];
    float sum = 0;
    for (int i = 0; i < 4; i++) {
        tile[threadIdx.x] = x[i * 64 + threadIdx.x]; // WRONG: race in a block
        __syncthreads();
        for (int k = 0; k < 64; k++)
            sum += tile[k];
    }
    __syncthreads();
    x[threadIdx.x] = sum;
}

extern "C" void
wrong_missing_barrier_in_loop(void)
{
    float *x;
    cudaMalloc(&x, 256 * sizeof(*x));
    cudaMemset(x, 0, 256 * sizeof(*x));
    rounds<<<1, 64>>>(x);
    cudaFree(x);
}
