/* Broken rungs for the drop-in library of MPI's collectives: the last element of each result is off, and the barrier waits for
 * nobody. tools/mpi.mk links them into a library of their own, in the place of mpi/collectives/collectives.c. Our test program and
 * mpi4py's tests must reject it (tests/mpi/test_dropin.sh): so it is our library which they test.
 * Vectors of one element are right: with one the test programs agree on their verdict.
 * SPDX-License-Identifier: MIT */
#include "mpi/collectives/ladders.h"

static const CollectiveRung rungs[] = {{.name = "wrong", .idea = "off by one"}};

#define WRONG(collective)                                                                                              \
    {                                                                                                                  \
        .kind = collective, .name = "wrong", .rungs = rungs, .count = 1                                                \
    }
static const CollectiveLadder ladders[] = {
    WRONG(COLLECTIVE_ALLREDUCE),      WRONG(COLLECTIVE_REDUCE),     WRONG(COLLECTIVE_BROADCAST),
    WRONG(COLLECTIVE_REDUCE_SCATTER), WRONG(COLLECTIVE_ALL_GATHER), WRONG(COLLECTIVE_ALL_TO_ALL),
    WRONG(COLLECTIVE_BARRIER),
};
enum { LADDERS = sizeof(ladders) / sizeof(ladders[0]) };

const CollectiveLadder *
collective_ladder(CollectiveKind kind)
{
    for (int i = 0; i < LADDERS; i++)
        if (ladders[i].kind == kind)
            return &ladders[i];
    return NULL;
}

const CollectiveRung *
collective_rung(const CollectiveLadder *ladder, const char *name)
{
    return strcmp(name, rungs->name) == 0 ? ladder->rungs : NULL;
}

/* The library's, with as many parts as there are ranks where it wants counts: n is never large here. */
static void
run_right(CollectiveKind kind, const Comm *comm, const void *x, void *y, int n, MPI_Datatype type, MPI_Op op, int root)
{
    const void *send = x == y ? MPI_IN_PLACE : x;
    int counts[64];
    for (int i = 0; i < comm->size && i < 64; i++)
        counts[i] = (int)chunk_of((size_t)n, comm->size, i).count;
    switch (kind) {
    case COLLECTIVE_ALLREDUCE:
        PMPI_Allreduce(send, y, n, type, op, comm->mpi);
        break;
    case COLLECTIVE_REDUCE:
        PMPI_Reduce(comm->rank == root ? send : x, y, n, type, op, root, comm->mpi);
        break;
    case COLLECTIVE_BROADCAST:
        PMPI_Bcast(y, n, type, root, comm->mpi);
        break;
    case COLLECTIVE_REDUCE_SCATTER:
        PMPI_Reduce_scatter(send, y, counts, type, op, comm->mpi);
        break;
    case COLLECTIVE_ALL_GATHER:
        PMPI_Allgather(x, n / comm->size, type, y, n / comm->size, type, comm->mpi);
        break;
    default:
        PMPI_Alltoall(x, n, type, y, n, type, comm->mpi);
        break;
    }
}

/* The elements of y that this rank was given. */
static size_t
received(CollectiveKind kind, const Comm *comm, size_t n, int root)
{
    switch (kind) {
    case COLLECTIVE_REDUCE:
        return comm->rank == root ? n : 0;
    case COLLECTIVE_BROADCAST:
        return comm->rank != root ? n : 0;
    case COLLECTIVE_REDUCE_SCATTER:
        return chunk_of(n, comm->size, comm->rank).count;
    case COLLECTIVE_ALL_TO_ALL:
        return n * (size_t)comm->size;
    default:
        return n;
    }
}

void
collective_run(const CollectiveLadder *ladder, const CollectiveRung *rung, Comm *comm, const void *x, void *y, size_t n,
               Element type, Reduction op, int root)
{
    (void)rung;
    if (ladder->kind == COLLECTIVE_BARRIER)
        return;
    run_right(ladder->kind, comm, x, y, (int)n, element_mpi(type), reduction_mpi(op), root);
    const size_t count = received(ladder->kind, comm, n, root);
    if (count > 1)
        *(unsigned char *)element_at(y, type, count - 1) ^= 1;
}
