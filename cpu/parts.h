/* Partitioning 0 .. n-1: into blocks, tiles, or one chunk for each thread.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_PARTS_H
#define CPU_PARTS_H

#include <stdbool.h>

static inline int
smaller(int a, int b)
{
    return a < b ? a : b;
}

/* n / size, rounded up: how many parts of `size` elements cover n. */
static inline int
parts_of(int n, int size)
{
    return (n + size - 1) / size;
}

/* Where part i of `parts` equal ones of 0 .. n-1 begins; part `parts` begins at n. */
static inline int
part_begin(int i, int parts, int n)
{
    return (int)((long)i * n / parts);
}

/* Whether the load imbalance of `parts` parts on `threads` threads is at most 1/8. */
static inline bool
parts_are_even(int parts, int threads)
{
    return parts % threads == 0 || parts >= 8 * threads;
}

#endif
