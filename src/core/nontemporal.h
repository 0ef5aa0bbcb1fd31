/* Non-temporal (streaming) stores, for outputs larger than the last-level cache.
 *
 *     y = f(x), ordinary store      x read, y's line read (write-allocate), y written             12 bytes an element
 *               non-temporal store  x read,                                   y written             8
 *
 * The next reader of y begins at its start, and finds it in the last-level cache only if y and what was read meanwhile fit
 * there: then an ordinary store is faster. And processors that detect that full lines are written avoid the write-allocate: on
 * Zen 5 a copy gains a tenth, the gradients of pooling a fifth to a half, softmax up to a third, relu and the normalisations
 * nothing or less, so these use ordinary stores.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_NONTEMPORAL_H
#define CORE_NONTEMPORAL_H

#include "core/vector.h"
#include <stdbool.h>
#include <stddef.h>

/* Bytes of the block in the L1 cache that a kernel fills and nontemporal_copy streams to memory. */
enum { NONTEMPORAL_BYTES = 8 << 10, NONTEMPORAL_FLOATS = NONTEMPORAL_BYTES / sizeof(float) };

/* True if an output of this size should bypass the caches. False where this build's processor has no such stores, or a cache of
 * unknown size. */
bool nontemporal_pays(size_t bytes);

/* For tests: outputs of more than `bytes` bytes bypass the caches, whatever the machine. Not while kernels run. */
void nontemporal_above(size_t bytes);

/* y is aligned to a vector. The compiler's vector extensions have no such store. */
static inline void
vector_store_nontemporal(float *y, Vector v)
{
#if VECTOR_BYTES == 64
    _mm512_stream_ps(y, (__m512)v);
#elif VECTOR_BYTES == 32
    _mm256_stream_ps(y, (__m256)v);
#else
    vector_store(y, v);
#endif
}

/* Copies bytes from cache to memory: full lines by non-temporal stores, partial lines at both ends by ordinary ones. */
static inline void
nontemporal_copy(void *to, const void *from, size_t bytes)
{
    enum { LINE = 64 };
    char *y = to;
    const char *x = from;
    const size_t before = -(uintptr_t)to % LINE;
    size_t done = before < bytes ? before : bytes;
    memcpy(y, x, done);
    for (; done + LINE <= bytes; done += LINE)
        for (size_t i = done; i < done + LINE; i += VECTOR_BYTES)
            vector_store_nontemporal((float *)(void *)(y + i), vector_load((const float *)(const void *)(x + i)));
    memcpy(y + done, x + done, bytes - done);
}

/* Non-temporal stores are weakly ordered: a fence, to be called by each thread before it signals that it is done. */
static inline void
stream_end(void)
{
#if VECTOR_BYTES >= 32
    _mm_sfence();
#endif
}

#endif
