/* Rung 10 of allreduce for vectors in shared memory: rank r reduces chunk r of everybody's vector into everybody's.
 *
 *     rank 0's x  | a0 | b0 | c0 |      rank 0 reads a0 a1 a2, writes their sum A three times;
 *     rank 1's x  | a1 | b1 | c1 |      rank 1 the b, rank 2 the c:
 *     rank 2's x  | a2 | b2 | c2 |      every y becomes | A | B | C |
 *
 * Each core reads n bytes and writes n, the least that there is.
 * SPDX-License-Identifier: MIT */
#include "10_window.h"
#include "core/host.h"
#include "core/vector.h"

enum { BLOCK = 8 << 10 }; /* bytes of a result that waits in the first-level cache to be written to all targets */

/* Into memory past the caches, where the processor can: what the compiler's vectors have no word for. y is aligned to a vector. */
static inline void
vector_stream(float *y, Vector v)
{
#if VECTOR_BYTES == 64
    _mm512_stream_ps(y, (__m512)v);
#elif VECTOR_BYTES == 32
    _mm256_stream_ps(y, (__m256)v);
#else
    vector_store(y, v);
#endif
}

static void
copy_streamed(char *y, const char *x, size_t bytes)
{
    size_t done = 0;
    for (; (uintptr_t)y % VECTOR_BYTES == 0 && done + VECTOR_BYTES <= bytes; done += VECTOR_BYTES)
        vector_stream((float *)(void *)(y + done), vector_load((const float *)(const void *)(x + done)));
    memcpy(y + done, x + done, bytes - done);
}

/* The sum of two vectors of floats into two others in one pass, a fifth to a third faster than through a block. */
static void
add_two(const float *a, const float *b, float *y, float *z, size_t n, bool streamed)
{
    const size_t whole = n / VECTOR_LANES * VECTOR_LANES;
    if (streamed && ((uintptr_t)y | (uintptr_t)z) % VECTOR_BYTES == 0)
        for (size_t i = 0; i < whole; i += VECTOR_LANES) {
            const Vector sum = vector_load(a + i) + vector_load(b + i);
            vector_stream(y + i, sum);
            vector_stream(z + i, sum);
        }
    else
        for (size_t i = 0; i < whole; i += VECTOR_LANES) {
            const Vector sum = vector_load(a + i) + vector_load(b + i);
            vector_store(y + i, sum);
            vector_store(z + i, sum);
        }
    for (size_t i = whole; i < n; i++)
        y[i] = z[i] = a[i] + b[i];
}

void
window_reduce(const char *const *source, int sources, char *const *target, int targets, size_t n, Element type,
              Reduction op, bool streamed)
{
    _Alignas(64) char block[BLOCK];
    const size_t most = BLOCK / element_size(type);
    for (size_t first = 0; first < n; first += most) {
        const size_t count = n - first < most ? n - first : most;
        const size_t at = first * element_size(type), bytes = count * element_size(type);
        const char *left = source[0] + at;
        for (int i = 1; i < sources; i++, left = block)
            combine(op, type, count, left, source[i] + at, block);
        for (int i = 0; i < targets; i++)
            if (streamed)
                copy_streamed(target[i] + at, left, bytes);
            else
                memcpy(target[i] + at, left, bytes);
    }
}

void
window_direct(NodeWindow *window, char *const *x, char *const *y, size_t n, Element type, Reduction op)
{
    const int p = window->ranks;
    const char *source[WINDOW_RANKS] = {NULL};
    char *target[WINDOW_RANKS] = {NULL};
    const Chunk mine = chunk_of_lines(n, element_size(type), p, window->rank);
    for (int i = 0; i < p; i++) {
        source[i] = element_at(x[i], type, mine.first);
        target[i] = element_at(y[i], type, mine.first);
    }
    /* What the last cache will not keep would only push out what it holds. */
    const bool streamed = 2 * (size_t)p * n * element_size(type) > host_get()->cache[3];
    if (p == 2 && type == ELEMENT_FLOAT && op == REDUCTION_SUM)
        add_two((const void *)source[0], (const void *)source[1], (void *)target[0], (void *)target[1], mine.count,
                streamed);
    else
        window_reduce(source, p, target, p, mine.count, type, op, streamed);
#if VECTOR_BYTES >= 32
    if (streamed)
        _mm_sfence(); /* such stores may be seen after those that follow them: a release store does not wait for them */
#endif

    /* Then everybody has written into my y and has read my x. */
    const uint64_t call = window->counter[COUNT_CALLS];
    window_raise(&part_of(window, window->rank)->left, call);
    for (int i = 0; i < p; i++)
        window_await(window, &part_of(window, i)->left.number, call);
}
