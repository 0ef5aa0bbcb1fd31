/* Stores past the caches, for results that no cache would keep.
 *
 *     y = f(x), a store as usual     x read, y's line read because it is changed, y written       12 bytes an element
 *               past the caches      x read,                                     y written        8
 *
 * Whoever reads y next begins at its start, and finds it in the last cache only if y and what was read meanwhile fit there: then a
 * store as usual is the faster one. And processors that see whole lines being written do not read them first: on Zen 5 a copy gains
 * a tenth, the gradients of pooling a fifth to a half, softmax up to a third, relu and the normalisations nothing or less, and so
 * they store as usual.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_NONTEMPORAL_H
#define CORE_NONTEMPORAL_H

#include "core/vector.h"
#include <stdbool.h>
#include <stddef.h>

/* Room of the block in the first-level cache in which a kernel leaves what nontemporal_copy takes away. */
enum { NONTEMPORAL_BYTES = 8 << 10, NONTEMPORAL_FLOATS = NONTEMPORAL_BYTES / sizeof(float) };

/* Whether a result of so many bytes is one. Never where this build's processor has no such stores, or a cache of unknown size. */
bool nontemporal_pays(size_t bytes);

/* For tests: results of more than so many bytes are, whatever the machine. Not while kernels run. */
void nontemporal_above(size_t bytes);

/* y is aligned to a vector. The compiler's vectors have no word for it. */
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

/* Bytes from a near cache to memory: whole lines past the caches, the parts of a line at both ends as usual. */
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

/* Such stores may be seen after those that follow them: to be called by each thread before it tells others that it is done. */
static inline void
stream_end(void)
{
#if VECTOR_BYTES >= 32
    _mm_sfence();
#endif
}

#endif
