/* A vector partitioned into chunks, one for each rank. SPDX-License-Identifier: MIT */
#ifndef MPI_CHUNK_H
#define MPI_CHUNK_H

#include <stddef.h>

/* Elements first .. first + count - 1 of a vector. */
typedef struct Chunk {
    size_t first, count;
} Chunk;

/* Chunk i of a vector of n elements partitioned into p chunks as evenly as possible: the first n mod p have one element more. */
Chunk chunk_of(size_t n, int p, int i);

/* Chunks begin .. end - 1 as one; begin < end. */
static inline Chunk
chunks_of(size_t n, int p, int begin, int end)
{
    const size_t first = chunk_of(n, p, begin).first;
    const Chunk last = chunk_of(n, p, end - 1);
    return (Chunk){first, last.first + last.count - first};
}

enum { CHUNK_LINE = 64 }; /* bytes of a cache line */

/* The same for elements of `element` bytes, the first of which begins a cache line, partitioned at cache lines: two ranks never
 * write to the same line (no false sharing). With fewer lines than chunks the last chunks are empty. element divides
 * CHUNK_LINE. mpi/lines.c */
Chunk chunk_of_lines(size_t n, size_t element, int p, int i);

#endif
