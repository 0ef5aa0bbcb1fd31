/* Buffers for the windows of many communicators, allocated once for all ranks of a machine: a communicator that comes and goes
 * allocates nothing and does not wait.
 *
 *                 rank 0     rank 1     rank 2     rank 3
 *     slot 0    |   A      |   A      |   A      |   A      |     communicator A of all ranks,
 *     slot 1    |   B      |   B      |   C      |   C      |     B and C of two each
 *     slot 2    |          |          |          |          |
 *
 * A communicator has one slot, and in it the parts of its ranks. The first of them takes it; each gives its own back when it frees
 * the communicator, and the last one frees all parts: until then a rank may still read what another wrote.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_WINDOW_POOL_H
#define MPI_WINDOW_POOL_H

#include "mpi/comm.h"
#include <stdint.h>

typedef struct WindowPool WindowPool;

/* `messages`: all ranks, of whose communicators some are borrowed; all must call. Where there is no shared memory the pool has no
 * slots. Its slots take at most half of what /dev/shm has left: the program and the MPI library need some, too. Pages are
 * reserved when a slot is first used. */
WindowPool *window_pool_create(MPI_Comm messages);

/* Each rank for itself, when all its communicators have been freed. */
void window_pool_free(WindowPool *pool);

/* Whether the machine has fewer cores than ranks. */
bool window_pool_shares_cores(const WindowPool *pool);

/* The numbers of nodes that are machines, [ranks of messages], below *nodes. */
const int *window_pool_nodes(const WindowPool *pool, int *nodes);

/* A slot for the window of a borrowed communicator, all of whose ranks must call, and the addresses here of the parts of the ranks
 * of my node. What their flags say is at most *begin. -1 on all ranks where a node gets none: all slots are taken, memory is full,
 * or the ranks of a node are on several machines. */
int window_pool_take(WindowPool *pool, const Comm *comm, char **part, uint64_t *begin);

/* Each rank of the node for itself, with the highest number that it has set a flag to. */
void window_pool_give_back(WindowPool *pool, const Comm *node, int slot, uint64_t highest);

#endif
