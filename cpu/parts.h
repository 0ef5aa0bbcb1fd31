/* Cutting 0 .. n-1 into parts: blocks, tiles, shares of threads.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_PARTS_H
#define CPU_PARTS_H

static inline int
smaller(int a, int b)
{
    return a < b ? a : b;
}

/* How many parts of so many elements n elements fill, the last one perhaps not wholly. */
static inline int
parts_of(int n, int size)
{
    return (n + size - 1) / size;
}

/* Where part i of so many equal ones of 0 .. n-1 begins; part `parts` begins at n. */
static inline int
part_begin(int i, int parts, int n)
{
    return (int)((long)i * n / parts);
}

#endif
