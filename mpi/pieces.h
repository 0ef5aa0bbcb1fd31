/* A long vector split into segments of one length, the last maybe shorter, that are processed one after the other: messages
 * that an int can count, stages of a pipeline, blocks that fit into a cache.
 *
 *     n = 10, length = 4      0 1 2 3 | 4 5 6 7 | 8 9
 *
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PIECES_H
#define MPI_PIECES_H

#include "mpi/chunk.h"

/* How many; at least one: an empty vector is one empty piece. length > 0. */
static inline size_t
pieces_of(size_t n, size_t length)
{
    return n <= length ? 1 : (n - 1) / length + 1;
}

/* Piece i; empty behind the last one. i * length must fit into a size_t. */
static inline Chunk
piece_of(size_t n, size_t length, size_t i)
{
    const size_t first = i * length < n ? i * length : n, rest = n - first;
    return (Chunk){first, rest < length ? rest : length};
}

#endif
