/* A vector partitioned into chunks, one for each rank.
 *
 *     n = 10, p = 4      0 1 2 | 3 4 5 | 6 7 | 8 9      10 = 4 * 2 + 2: all have two, the first two one more
 *     n = 2,  p = 4      0 | 1 |   |                    the last two have none
 *
 * Lecture   lectures/06-all-reduce.md
 * SPDX-License-Identifier: MIT */
#include "mpi/chunk.h"

/* EXERCISE 06.2  Cut the vector (10 min, about 4 lines)
 * Return where chunk i of p begins in a vector of n elements, and how many elements it has. The chunks stand one behind the
 * other, cover the vector, and differ by at most one element: the first n mod p of them are the longer ones. n may be smaller
 * than p, and nearly as large as a size_t can be: n * i does not fit then. */
Chunk
chunk_of(size_t n, int p, int i)
{
    /* BEGIN SOLUTION 06.2 */
    const size_t part = (size_t)i, short_count = n / (size_t)p, longer = n % (size_t)p;
    const size_t longer_before = part < longer ? part : longer;
    return (Chunk){.first = part * short_count + longer_before, .count = short_count + (part < longer)};
    /* END SOLUTION */
}
