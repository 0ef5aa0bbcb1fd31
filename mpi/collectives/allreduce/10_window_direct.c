/* Rung 10 of allreduce for vectors in shared memory: rank r reduces chunk r of all ranks' vectors into all ranks' vectors.
 *
 *     rank 0's x  | a0 | b0 | c0 |      rank 0 reads a0 a1 a2, writes their sum A three times;
 *     rank 1's x  | a1 | b1 | c1 |      rank 1 the b, rank 2 the c:
 *     rank 2's x  | a2 | b2 | c2 |      every y becomes | A | B | C |
 *
 * Each core reads n bytes and writes n, the least that there is.
 * SPDX-License-Identifier: MIT */
#include "10_window.h"
#include "core/nontemporal.h"

/* The sum of two vectors of floats into two others in one pass, a fifth to a third faster than through a block. */
static void
add_two(const float *a, const float *b, float *y, float *z, size_t n, bool streamed)
{
    const size_t whole = n / VECTOR_LANES * VECTOR_LANES;
    if (streamed && ((uintptr_t)y | (uintptr_t)z) % VECTOR_BYTES == 0)
        for (size_t i = 0; i < whole; i += VECTOR_LANES) {
            const Vector sum = vector_load(a + i) + vector_load(b + i);
            vector_store_nontemporal(y + i, sum);
            vector_store_nontemporal(z + i, sum);
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
    _Alignas(64) char block[NONTEMPORAL_BYTES]; /* a result waits here to be written to all targets */
    const size_t most = NONTEMPORAL_BYTES / element_size(type);
    for (size_t first = 0; first < n; first += most) {
        const size_t count = n - first < most ? n - first : most;
        const size_t at = first * element_size(type), bytes = count * element_size(type);
        const char *left = source[0] + at;
        for (int i = 1; i < sources; i++, left = block)
            combine(op, type, count, left, source[i] + at, block);
        for (int i = 0; i < targets; i++)
            if (streamed)
                nontemporal_copy(target[i] + at, left, bytes);
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
    /* Ordinary stores of an output larger than the last-level cache would evict other data. */
    const bool streamed = nontemporal_pays((size_t)p * n * element_size(type));
    if (p == 2 && type == ELEMENT_FLOAT && op == REDUCTION_SUM)
        add_two((const void *)source[0], (const void *)source[1], (void *)target[0], (void *)target[1], mine.count,
                streamed);
    else
        window_reduce(source, p, target, p, mine.count, type, op, streamed);
    if (streamed)
        stream_end();

    /* Then all ranks have written into my y and have read my x. */
    const uint64_t call = window->counter[COUNT_CALLS];
    window_raise(&part_of(window, window->rank)->left, call);
    for (int i = 0; i < p; i++)
        window_await(window, &part_of(window, i)->left.number, call);
}
