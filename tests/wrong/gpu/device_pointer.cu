/* A planted mistake, which the emulator must find on the marked line: the host looks at the result without copying it.
 * SPDX-License-Identifier: MIT */
#include <cuda_runtime.h>
#include <stdio.h>

static __global__ void
answer(float *x)
{
    *x = 42;
}

extern "C" void
wrong_device_pointer(void)
{
    float *x;
    char text[32];
    cudaMalloc(&x, sizeof(*x));
    answer<<<1, 1>>>(x);
    cudaDeviceSynchronize();
    snprintf(text, sizeof(text), "%g", (double)*x); // WRONG: device pointer
    cudaFree(x);
}
