/* In which order ranks stand in a ring: node by node, so that one message of a step goes into each node and one out of it, however
 * a launcher has dealt ranks to nodes. In the order of ranks it may be one for each rank of the node:
 *
 *     rank      0  1  2  3        node of it  0  1  0  1       (mpirun --map-by node)
 *     by rank   0 -> 1 -> 2 -> 3 -> 0     4 messages between nodes in a step, 2 into each node
 *     by node   0 -> 2 -> 1 -> 3 -> 0     2,                                  1 into each node
 *
 * Where nodes have consecutive ranks, the two are the same. What goes around in it: mpi/collectives/allreduce/05_ring.c. The cost
 * model (mpi/model/) has the same order from the same function.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_RING_H
#define MPI_RING_H

#include "mpi/comm.h"

/* order[i]: the rank at place i of the ring: the ranks of node 0 in their order, then those of node 1, .. node_of[p]: 0 <= node
 * < p; NULL: all on one node. */
void ring_order(const int *node_of, int p, int *order);

/* My place in the ring of comm, 0 <= place < p. */
static inline int
ring_place(const Comm *comm)
{
    return comm->ring != NULL ? comm->ring_place : comm->rank;
}

/* The rank at a place, counted around the ring: place -1 is the last one, place p the first. place >= -2 p. */
static inline int
ring_rank(const Comm *comm, int place)
{
    const int p = comm->size, at = (place + 2 * p) % p;
    return comm->ring != NULL ? comm->ring[at] : at;
}

#endif
