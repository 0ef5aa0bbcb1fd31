/* The grid-stride loop of one thread: every threads-th float4 of an array.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_REDUCE_STRIDED_SUM_CUH
#define GPU_REDUCE_STRIDED_SUM_CUH

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

enum { REDUCE_THREADS = 256, REDUCE_BLOCKS = 1024 };

/* Blocks for n floats: four floats a thread; at least 1, at most REDUCE_BLOCKS. */
static inline unsigned
reduce_blocks(size_t n)
{
    const size_t blocks = n > 0 ? (n - 1) / (4 * REDUCE_THREADS) + 1 : 1;
    return blocks < REDUCE_BLOCKS ? (unsigned)blocks : (unsigned)REDUCE_BLOCKS;
}

/* The partial sum of thread `first` of `threads`. A float4 must begin at a multiple of 16 bytes: up to three floats before the
 * first such place, and up to three behind the last four, are added one by one.
 *
 *     x   . . | 0 0 0 0 | 1 1 1 1 | 2 2 2 2 | 0 0 0 0 | 1 1 1 1 | .         (3 threads)
 *        head   quads                                           tail
 */
static __device__ inline float
strided_sum(size_t n, const float *x, size_t first, size_t threads)
{
    const size_t gap = (16 - (uintptr_t)x % 16) % 16 / sizeof(float), head = gap < n ? gap : n;
    const size_t quads = (n - head) / 4, tail = head + 4 * quads;
    const float4 *q = (const float4 *)(x + head);
    float4 sum = make_float4(0, 0, 0, 0); /* four sums, so that additions do not depend on each other */
#pragma unroll 4
    for (size_t i = first; i < quads; i += threads) {
        const float4 v = q[i];
        sum.x += v.x;
        sum.y += v.y;
        sum.z += v.z;
        sum.w += v.w;
    }
    float rest = 0;
    if (first < head)
        rest += x[first];
    if (first < n - tail)
        rest += x[tail + first];
    return (sum.x + sum.y) + (sum.z + sum.w) + rest;
}

#endif
