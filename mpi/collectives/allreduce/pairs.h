/* Where the number of ranks is no power of two, some of them work as pairs (mpi/fold.h): the second of a pair gives its
 * vector to the first, rests, and gets the result at the end.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_ALLREDUCE_PAIRS_H
#define MPI_COLLECTIVES_ALLREDUCE_PAIRS_H

#include "mpi/collectives/collectives.h"
#include "mpi/fold.h"

static inline bool
pair_exists(const Comm *comm)
{
    return comm->rank < 2 * (comm->size - fold_places(comm->size));
}

/* True for ranks that go on, with *x the vector that they go on with: their own, or y where the pair's sum stands. False for a
 * rank that has sent its vector to its partner and has the result in y already. `incoming` is room for a vector. */
static inline bool
pair_joins(Comm *comm, const void **x, void *y, void *incoming, size_t n, Element type, Reduction op)
{
    if (!pair_exists(comm))
        return true;
    if (comm->rank % 2 != 0) {
        point_send(comm, comm->rank - 1, *x, n, type);
        point_receive(comm, comm->rank - 1, y, n, type);
        return false;
    }
    point_receive(comm, comm->rank + 1, incoming, n, type);
    combine(op, type, n, *x, incoming, y);
    *x = y;
    return true;
}

/* The first of a pair gives the result to the second. */
static inline void
pair_parts(Comm *comm, const void *y, size_t n, Element type)
{
    if (pair_exists(comm))
        point_send(comm, comm->rank + 1, y, n, type);
}

#endif
