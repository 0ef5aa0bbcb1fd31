/* A thread for each element of an array:   clear<<<element_blocks(n), ELEMENT_THREADS>>>(n, x);
 * The last block has threads beyond n: each tests its index. n is not 0: no launch may be empty.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_BACKEND_ELEMENTS_CUH
#define GPU_BACKEND_ELEMENTS_CUH

#include <cuda_runtime.h>
#include <stddef.h>

enum { ELEMENT_THREADS = 256 };

static inline unsigned
element_blocks(size_t n)
{
    return (unsigned)((n + ELEMENT_THREADS - 1) / ELEMENT_THREADS);
}

static __device__ inline size_t
element_number()
{
    return (size_t)blockIdx.x * ELEMENT_THREADS + threadIdx.x;
}

#endif
