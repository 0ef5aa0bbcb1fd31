/* All-reduces that are wrong, each by another mistake: verification must find all of them.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_WRONG_ALLREDUCE_RUNGS_H
#define TESTS_WRONG_ALLREDUCE_RUNGS_H

#include "mpi/collectives/allreduce/allreduce.h"

/* What this rank has, unreduced. On one rank that is right. */
static void
wrong_forgets_the_others(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    (void)comm, (void)op;
    collective_copy(x, y, n, type);
}

/* Rank 0 has the last element wrong, the others are right. */
static void
wrong_in_the_last(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    allreduce_mpi(comm, x, y, n, type, op);
    if (comm->rank == 0 && n > 0)
        memset(element_at(y, type, n - 1), 0, element_size(type));
}

/* Right in the first calls; later what an earlier call gave. */
static int calls_that_are_right;
static void
wrong_when_called_often(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    if (calls_that_are_right-- > 0)
        allreduce_mpi(comm, x, y, n, type, op);
}

/* One element too far. */
static void
wrong_beyond_the_end(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    allreduce_mpi(comm, x, y, n, type, op);
    memset(element_at(y, type, n), 0, element_size(type));
}

#endif
