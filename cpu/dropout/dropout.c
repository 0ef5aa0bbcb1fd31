/* Dropout: see dropout.h. Drawing the random numbers is most of the work, and core/rng.c draws a row of them in vectors.
 * SPDX-License-Identifier: MIT */
#include "cpu/dropout/dropout.h"
#include "core/rng.h"
#include "cpu/chunks.h"

enum { BLOCK = 1024 }; /* random numbers at a time: they stay in the L1 cache */

static void
dropout_part(size_t n, const float *x, float *y, float probability, uint64_t seed, uint64_t stream, uint64_t first)
{
    const float scale = 1 / (1 - probability);
    for (size_t done = 0; done < n; done += BLOCK) {
        float random[BLOCK];
        const size_t count = n - done < BLOCK ? n - done : BLOCK;
        rng_fill_uniform(seed, stream, first + done, random, count, 0, 1);
        for (size_t i = 0; i < count; i++)
            y[done + i] = random[i] < probability ? 0 : x[done + i] * scale;
    }
}

void
dropout(size_t n, const float *x, float *y, float probability, uint64_t seed, uint64_t stream, uint64_t first)
{
    IN_CHUNKS(n, begin, count, dropout_part(count, x + begin, y + begin, probability, seed, stream, first + begin));
}
