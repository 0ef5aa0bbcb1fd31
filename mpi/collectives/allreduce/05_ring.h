/* The two halves of the ring all-reduce, which also stand alone: the drawing is in 05_ring.c. SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_ALLREDUCE_05_RING_H
#define MPI_COLLECTIVES_ALLREDUCE_05_RING_H

#include "mpi/collectives/collectives.h"

/* Chunk r of y becomes chunk r of the reduction; the rest of y then holds sums on their way. y may be x. */
void ring_reduce_scatter(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op);

/* From chunk r of y on every rank r, all chunks on all ranks. */
void ring_all_gather(Comm *comm, void *y, size_t n, Element type);

#endif
