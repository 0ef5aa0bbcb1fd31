/* Element-by-element kernels over long arrays: threads share the work in chunks.
 * Chunks begin at multiples of CHUNK whatever the number of threads, so that an element is handled by the same instructions (the
 * vector body of a loop or its scalar end) and has the same bits. Below CHUNKS_MIN elements waking threads costs more than it
 * saves, and the calling thread does everything.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_CHUNKS_H
#define CPU_CHUNKS_H

#include <stddef.h>

enum { CHUNK = 1 << 14, CHUNKS_MIN = 1 << 17 };

/* IN_CHUNKS(n, first, count, relu_part(count, x + first, y + first)) calls the statement for each chunk of 0 .. n-1. */
#define IN_CHUNKS(n, first, count, statement)                                                                          \
    do {                                                                                                               \
        if ((n) < CHUNKS_MIN) {                                                                                        \
            const size_t first = 0, count = (n);                                                                       \
            statement;                                                                                                 \
        } else {                                                                                                       \
            CHUNKS_PARALLEL                                                                                            \
            for (size_t first = 0; first < (n); first += CHUNK) {                                                      \
                const size_t count = (n)-first < CHUNK ? (n)-first : CHUNK;                                            \
                statement;                                                                                             \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

#ifdef _OPENMP
#define CHUNKS_PARALLEL _Pragma("omp parallel for schedule(static)")
#else
#define CHUNKS_PARALLEL
#endif

#endif
