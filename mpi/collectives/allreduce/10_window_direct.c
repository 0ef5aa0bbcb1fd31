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
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

enum { BLOCK = 8 << 10 }; /* bytes of a result that waits in the first-level cache to be written to all targets */

/* Stores that go past the caches: the one thing here that only intrinsics can say. */
static void
copy_streamed(char *y, const char *x, size_t bytes)
{
#if defined(__AVX512F__)
    if ((uintptr_t)y % 64 == 0) {
        const size_t whole = bytes / 64 * 64;
        for (size_t i = 0; i < whole; i += 64)
            _mm512_stream_si512((void *)(y + i), _mm512_load_si512((const void *)(x + i)));
        y += whole, x += whole, bytes -= whole;
    }
#endif
    memcpy(y, x, bytes);
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
#if defined(__AVX512F__)
    if (streamed)
        _mm_sfence(); /* such stores may be seen later than those behind them; a release store does not wait for them */
#endif
}

void
window_direct(NodeWindow *window, char *const *x, char *const *y, size_t n, Element type, Reduction op)
{
    const int p = window->ranks;
    const char *source[WINDOW_RANKS];
    char *target[WINDOW_RANKS];
    const Chunk mine = lines_of(n, type, p, window->rank);
    for (int i = 0; i < p; i++) {
        source[i] = element_at(x[i], type, mine.first);
        target[i] = element_at(y[i], type, mine.first);
    }
    const bool streamed = (size_t)p * n * element_size(type) > host_get()->cache[3];
    window_reduce(source, p, target, p, mine.count, type, op, streamed);

    /* Everybody has written into my y, and has read my x. */
    const uint64_t call = window->counter[COUNT_CALLS];
    window_raise(&part_of(window, window->rank)->left, call);
    for (int i = 0; i < p; i++)
        window_await(window, &part_of(window, i)->left.number, call);
}
