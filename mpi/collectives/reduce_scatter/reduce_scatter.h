/* Reduce-scatter: every rank gets its chunk of the reduction of all vectors. The signature ReduceScatter and its contract stand
 * in mpi/collectives/collectives.h; the ladder in ladder.c. p ranks, n bytes, alpha seconds a message, beta seconds a byte,
 * gamma seconds a reduced byte.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_REDUCE_SCATTER_H
#define MPI_COLLECTIVES_REDUCE_SCATTER_H

#include "mpi/collectives/collectives.h"

/* clang-format off */
ReduceScatter reduce_scatter_naive;     /* 01: rank 0 reduces everything and scatters the chunks */
ReduceScatter reduce_scatter_ring;      /* 02: sums of chunks go around and grow */
ReduceScatter reduce_scatter_recursive; /* 03: halves, quarters, .. are exchanged and reduced */
ReduceScatter reduce_scatter_mpi;       /* the library's */
/* clang-format on */

#endif
