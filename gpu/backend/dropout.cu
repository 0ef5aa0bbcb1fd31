/* Dropout: see kernels.h. The random numbers are those of core/rng.c (Philox4x32-10, Salmon et al. 2011), number by number, so
 * that the same elements are dropped as on the CPU.
 * SPDX-License-Identifier: MIT */
#include "gpu/backend/elements.cuh"
#include "gpu/backend/kernels.h"
#include <cuda_runtime.h>

enum { ROUNDS = 10 };

/* Number `index` of the stream: word index % 4 of block index / 4. */
static __device__ uint32_t
random_bits(uint64_t seed, uint64_t stream, uint64_t index)
{
    const uint64_t block = index / 4;
    uint32_t c0 = (uint32_t)block, c1 = (uint32_t)(block >> 32), c2 = (uint32_t)stream, c3 = (uint32_t)(stream >> 32);
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t p0 = (uint64_t)0xD2511F53 * c0, p1 = (uint64_t)0xCD9E8D57 * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ key0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ key1;
        c3 = (uint32_t)p0;
        key0 += 0x9E3779B9;
        key1 += 0xBB67AE85;
    }
    const int word = (int)(index % 4);
    return word == 0 ? c0 : word == 1 ? c1 : word == 2 ? c2 : c3;
}

/* A thread computes four numbers and uses one: simple, and the kernel is memory-bound anyway. */
static __global__ void
dropout(size_t n, const float *x, float *y, float probability, uint64_t seed, uint64_t stream, uint64_t first)
{
    const size_t i = element_number();
    if (i >= n)
        return;
    const float uniform = (float)random_bits(seed, stream, first + i) * (1.0f / 4294967296.0f);
    y[i] = uniform < probability ? 0 : x[i] * (1 / (1 - probability));
}

void
launch_dropout(size_t n, const float *x, float *y, float probability, uint64_t seed, uint64_t stream, uint64_t first)
{
    if (n > 0)
        dropout<<<element_blocks(n), ELEMENT_THREADS>>>(n, x, y, probability, seed, stream, first);
}
