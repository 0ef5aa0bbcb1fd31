/* Partitions of 0 .. n-1: blocks, tiles, chunks of threads.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_PARTITION_H
#define CPU_PARTITION_H

#include <stdbool.h>

static inline int
smaller(int a, int b)
{
    return a < b ? a : b;
}

/* The number of blocks of `size` elements that n elements fill; the last one may be partial. */
static inline int
ceil_div(int n, int size)
{
    return (n + size - 1) / size;
}

/* The begin of part i of `parts` parts of 0 .. n-1 whose sizes differ by at most 1; part `parts` begins at n. */
static inline int
partition_begin(int i, int parts, int n)
{
    return (int)((long)i * n / parts);
}

/* True if the load imbalance of `parts` parts on `threads` threads is at most 1/8. */
static inline bool
partition_is_balanced(int parts, int threads)
{
    return parts % threads == 0 || parts >= 8 * threads;
}

#endif
