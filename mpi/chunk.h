/* A vector cut into parts, one for each rank. SPDX-License-Identifier: MIT */
#ifndef MPI_CHUNK_H
#define MPI_CHUNK_H

#include <stddef.h>

/* Elements first .. first + count - 1 of a vector. */
typedef struct Chunk {
    size_t first, count;
} Chunk;

/* Part i of a vector of n elements that is cut into p parts as even as can be: the first n mod p parts have one element more. */
Chunk chunk_of(size_t n, int p, int i);

/* Parts begin .. end - 1 as one; begin < end. */
static inline Chunk
chunks_of(size_t n, int p, int begin, int end)
{
    const size_t first = chunk_of(n, p, begin).first;
    const Chunk last = chunk_of(n, p, end - 1);
    return (Chunk){first, last.first + last.count - first};
}

enum { CHUNK_LINE = 64 }; /* bytes of a cache line */

/* The same for elements of so many bytes, the first of which begins a cache line, cut at cache lines: two ranks never write to the
 * same line. With fewer lines than parts the last parts are empty. element divides CHUNK_LINE. mpi/lines.c */
Chunk chunk_of_lines(size_t n, size_t element, int p, int i);

#endif
