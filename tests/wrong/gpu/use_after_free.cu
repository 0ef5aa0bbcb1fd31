/* A planted mistake, which the emulator must find on the marked line: a buffer is freed before the kernel that reads it
 * is launched.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
copy(const float *from, float *to)
{
    to[threadIdx.x] = from[threadIdx.x]; // WRONG: use after free
}

extern "C" void
wrong_use_after_free(void)
{
    float *from, *to;
    cudaMalloc(&from, 64 * sizeof(*from));
    cudaMalloc(&to, 64 * sizeof(*to));
    cudaMemset(from, 0, 64 * sizeof(*from));
    cudaFree(from);
    copy<<<1, 64>>>(from, to);
    cudaFree(to);
}
