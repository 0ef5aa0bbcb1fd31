/* Memory that processes of one machine map together: a file in /dev/shm that has lost its name.
 *
 * MPI_Win_allocate_shared does the same, but not where there is too little of it: in Open MPI 4 one rank fails and the others wait
 * for it for ever, and where the file is larger than what is left of /dev/shm (64 MB in a container) the first store to a page that
 * cannot be had ends the process with SIGBUS. Here all ranks learn of it, and pages are reserved before anyone stores to them.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_SHARED_MEMORY_H
#define MPI_SHARED_MEMORY_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct SharedMemory {
    char *begin; /* the address here */
    size_t bytes;
    int file;
} SharedMemory;

/* `bytes`, the same on all ranks of mpi, which must all call; zero, and not yet reserved. False on all ranks if one of them cannot
 * map it: there is nothing to free then. */
bool shared_memory_create(SharedMemory *memory, MPI_Comm mpi, size_t bytes);

/* Bytes [first, first + bytes) can be used from now on. False if there is no room for them: another rank may have got its own.
 * Each rank calls for itself, for the part that it uses most: pages are placed on the NUMA node of the rank that reserves them
 * (first touch). */
bool shared_memory_reserve(const SharedMemory *memory, size_t first, size_t bytes);

/* Each rank for itself: the others keep what they have mapped. */
void shared_memory_free(SharedMemory *memory);

/* Bytes rounded up to pages, at least one. */
size_t shared_memory_pages(size_t bytes);

/* Bytes that can still be reserved on this machine, as far as is known: others reserve, too. */
size_t shared_memory_room(const SharedMemory *memory);

#endif
