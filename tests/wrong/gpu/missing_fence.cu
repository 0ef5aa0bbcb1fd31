/* A planted mistake, which the emulator must find on the marked line: the last block adds up what the others left, but they
 * do not make sure that it has arrived before they say so.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
last_block(const float *x, float *partial, unsigned *done, float *sum)
{
    if (threadIdx.x > 0)
        return;
    partial[blockIdx.x] = x[blockIdx.x];
    /* __threadfence() is missing here. */
    if (atomicAdd(done, 1u) != gridDim.x - 1)
        return;
    float all = 0;
    for (unsigned i = 0; i < gridDim.x; i++)
        all += partial[i]; // WRONG: race of blocks
    *sum = all;
}

extern "C" void
wrong_missing_fence(void)
{
    float *x;
    unsigned *done;
    cudaMalloc(&x, 17 * sizeof(*x));
    cudaMalloc(&done, sizeof(*done));
    cudaMemset(x, 0, 17 * sizeof(*x));
    cudaMemset(done, 0, sizeof(*done));
    last_block<<<8, 32>>>(x, x + 8, done, x + 16);
    cudaFree(x);
    cudaFree(done);
}
