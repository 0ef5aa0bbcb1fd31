/* All-reduce: every rank has a vector, and every rank gets the reduction of all of them. The signature AllReduce and its contract
 * stand in mpi/collectives/collectives.h; the ladder in ladder.c. p ranks, n bytes, alpha seconds a message, beta seconds a byte,
 * gamma seconds a reduced byte.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_ALLREDUCE_H
#define MPI_COLLECTIVES_ALLREDUCE_H

#include "mpi/collectives/collectives.h"

/* clang-format off */
AllReduce allreduce_naive;              /* 01: all to rank 0, which reduces and sends back */
AllReduce allreduce_whole_ring;         /* 02: whole vectors go around */
AllReduce allreduce_tree;               /* 03: a binomial tree up and down */
AllReduce allreduce_recursive_doubling; /* 04: halves of the ranks exchange whole vectors, lg p times */
AllReduce allreduce_ring;               /* 05: chunks go around twice: reduce-scatter, all-gather */
AllReduce allreduce_segmented_ring;     /* 06: the same in segments, so that reducing one overlaps sending the next */
AllReduce allreduce_rabenseifner;       /* 07: recursive halving, then recursive doubling */
AllReduce allreduce_hierarchical;       /* 08: within each node to its leader, leaders among themselves, back */
AllReduce allreduce_two_dimensional;    /* 09: every place of a node reduces its chunk across the nodes */
AllReduce allreduce_window;             /* 10: memory that the node shares, no messages */
AllReduce allreduce_auto;               /* 11: whichever the fitted model predicts to be fastest */
AllReduce allreduce_mpi;                /* the library's */
/* clang-format on */

/* False where p vectors on each rank do not fit into memory. */
bool allreduce_whole_ring_accepts(Comm *comm, size_t n, Element type, Error *reason);

/* False where a node's ranks cannot share memory; the first call on a communicator must be made by all ranks (window_possible). */
bool allreduce_window_accepts(Comm *comm, size_t n, Element type, Error *reason);

#endif
