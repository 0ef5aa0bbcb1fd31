/* What all ranks of a communicator do together. Each operation is a ladder in a folder of its own; every rung has its operation's
 * signature, and every rank must call with the same arguments but the vectors' addresses.
 *
 * A vector of n elements is partitioned by chunk_of(n, p, i) (mpi/chunk.h) where each rank has a chunk of it: uneven if p does
 * not divide n. n may be 0 or smaller than p. In place means that input and output are the same memory, as said at each
 * operation; otherwise they must not overlap, and the input is not changed. Every rung gives the same bits on all ranks.
 * Failures end all ranks.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_H
#define MPI_COLLECTIVES_H

#include "core/error.h"
#include "mpi/comm.h"
#include "mpi/point.h"
#include <string.h>

/* y = x, unless they are the same: what a rung that works in y begins with. */
static inline void
collective_copy(const void *x, void *y, size_t n, Element type)
{
    if (x != y && n > 0)
        memcpy(y, x, n * element_size(type));
}

/* y[n] = x of rank 0 op x of rank 1 op ..; x == y: in place. */
typedef void AllReduce(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op);

/* The same at the root only; y is not touched on other ranks and may be NULL there. */
typedef void Reduce(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op, int root);

/* x[n] of the root to all. */
typedef void Broadcast(Comm *comm, void *x, size_t n, Element type, int root);

/* Rank r gets chunk r of the reduction of all x[n] into y[chunk_of(n, p, r).count]. In place: y is chunk r of x, and the rest of x
 * is then undefined. */
typedef void ReduceScatter(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op);

/* y[n]: chunk i is what rank i has in x[chunk_of(n, p, i).count]. In place: x is chunk r of y. */
typedef void AllGather(Comm *comm, const void *x, void *y, size_t n, Element type);

/* The same at the root only; y is not touched on other ranks and may be NULL there. */
typedef void Gather(Comm *comm, const void *x, void *y, size_t n, Element type, int root);

/* Chunk r of the root's x[n] into y[chunk_of(n, p, r).count]. x may be NULL on other ranks. In place at the root: y is its chunk
 * of x. */
typedef void Scatter(Comm *comm, const void *x, void *y, size_t n, Element type, int root);

/* x and y are [p][n]: row i of rank r's x becomes row r of rank i's y. Never in place. */
typedef void AllToAll(Comm *comm, const void *x, void *y, size_t n, Element type);

/* No rank returns before all have called. */
typedef void Barrier(Comm *comm);

typedef enum CollectiveKind {
    COLLECTIVE_ALLREDUCE,
    COLLECTIVE_REDUCE,
    COLLECTIVE_BROADCAST,
    COLLECTIVE_REDUCE_SCATTER,
    COLLECTIVE_ALL_GATHER,
    COLLECTIVE_GATHER,
    COLLECTIVE_SCATTER,
    COLLECTIVE_ALL_TO_ALL,
    COLLECTIVE_BARRIER,
    COLLECTIVES
} CollectiveKind;

/* A rung's function, whatever its signature: the kind of its ladder says which. */
typedef void CollectiveFunction(void);

typedef struct CollectiveRung {
    const char *name; /* "ring" */
    const char *idea; /* one line */
    const char *file; /* where to read it; NULL for the library's */
    CollectiveFunction *function;
    bool peer; /* the MPI library's own, not a rung of ours */

    /* False with the reason if these ranks cannot use it, the same on all ranks. NULL: all can. */
    bool (*accepts)(Comm *comm, size_t n, Element type, Error *reason);
} CollectiveRung;

typedef struct CollectiveLadder {
    CollectiveKind kind;
    const char *name;            /* "allreduce" */
    const char *formula;         /* one line */
    const CollectiveRung *rungs; /* from the bottom to the top, then the peers */
    int count;
} CollectiveLadder;

/* NULL at the end. */
extern const CollectiveLadder *const collective_ladders[];
const CollectiveLadder *collective_ladder(CollectiveKind kind);
const CollectiveRung *collective_rung(const CollectiveLadder *ladder,
                                      const char *name); /* NULL: there is none of that name */

/* Runs any rung on vectors as its kind wants them; root and op are ignored where there is none. */
void collective_run(const CollectiveLadder *ladder, const CollectiveRung *rung, Comm *comm, const void *x, void *y,
                    size_t n, Element type, Reduction op, int root);

/* One rung of each ladder: what a program uses that does not care which (--collectives). */
typedef struct Collectives {
    const char *name;
    AllReduce *all_reduce;
    Reduce *reduce;
    Broadcast *broadcast;
    ReduceScatter *reduce_scatter;
    AllGather *all_gather;
    Gather *gather;
    Scatter *scatter;
    AllToAll *all_to_all;
    Barrier *barrier;
} Collectives;

/* "mpi", "naive", "ring", "auto", or any rung of allreduce: the other operations then use the rung of that name, else their best.
 * NULL with a sentence that lists the names. */
const Collectives *collectives_named(const char *name, Error *error);

#endif
