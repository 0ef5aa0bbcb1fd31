/* Cutting 0 .. n-1 into parts: blocks, tiles, shares of threads.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_PARTITION_H
#define CPU_PARTITION_H

#include <stdbool.h>

static inline int
smaller(int a, int b)
{
    return a < b ? a : b;
}

/* How many parts of so many elements n elements fill, the last one perhaps not wholly. */
static inline int
ceil_div(int n, int size)
{
    return (n + size - 1) / size;
}

/* Where part i of so many equal ones of 0 .. n-1 begins; part `parts` begins at n. */
static inline int
partition_begin(int i, int parts, int n)
{
    return (int)((long)i * n / parts);
}

/* Whether threads get about as many of so many parts each: as many, or at most one more for every eight. */
static inline bool
partition_is_balanced(int parts, int threads)
{
    return parts % threads == 0 || parts >= 8 * threads;
}

#endif
