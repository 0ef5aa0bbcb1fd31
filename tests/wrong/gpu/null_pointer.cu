/* A planted mistake, which the emulator must find on the marked line: a pointer that was not allocated.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>

static __global__ void
fill(float *x)
{
    x[threadIdx.x] = 1; // WRONG: host pointer
}

extern "C" void
wrong_null_pointer(void)
{
    fill<<<1, 64>>>((float *)NULL);
    cudaDeviceSynchronize();
}
