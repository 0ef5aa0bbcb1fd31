/* A planted mistake, which the emulator must find on the marked line: the kernel gets the host's array instead of the
 * device's.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>
#include <stdlib.h>

static __global__ void
scale(float *x)
{
    x[threadIdx.x] *= 2; // WRONG: host pointer
}

extern "C" void
wrong_host_pointer(void)
{
    float *host = (float *)calloc(64, sizeof(float));
    scale<<<1, 64>>>(host);
    cudaDeviceSynchronize();
    free(host);
}
