/* Recursive algorithms want a power of two of ranks: here is how others fold themselves to one. m is the largest power of two
 * up to p; the first p - m pairs of neighbours work as one, the second of the two sends its vector to the first and is idle.
 *
 *     p = 7, m = 4    ranks  0 1   2 3   4 5   6
 *                            |/    |/    |/    |
 *                    places  0     1     2     3      a place has the chunks of its one or two ranks, contiguous
 *
 * SPDX-License-Identifier: MIT */
#ifndef MPI_FOLD_H
#define MPI_FOLD_H

#include "mpi/chunk.h"

static inline int
fold_places(int p)
{
    int m = 1;
    while (2 * m <= p)
        m *= 2;
    return m;
}

/* The rank that works at a place, and the first of its chunks; p for place m. */
static inline int
fold_rank(int p, int place)
{
    const int pairs = p - fold_places(p);
    return place < pairs ? 2 * place : place + pairs;
}

/* The place of a rank, or of the pair to which it belongs. */
static inline int
fold_place(int p, int rank)
{
    const int pairs = p - fold_places(p);
    return rank < 2 * pairs ? rank / 2 : rank - pairs;
}

/* The chunks of the places begin .. end - 1 of a vector of n elements. */
static inline Chunk
fold_block(size_t n, int p, int begin, int end)
{
    return chunks_of(n, p, fold_rank(p, begin), fold_rank(p, end));
}

#endif
