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

#endif
