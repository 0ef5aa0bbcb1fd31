/* Reduce: the root gets the reduction of all ranks' vectors. The signature Reduce and its contract stand in
 * mpi/collectives/collectives.h; the ladder in ladder.c. p ranks, n bytes, alpha seconds a message, beta seconds a byte, gamma
 * seconds a reduced byte.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_REDUCE_H
#define MPI_COLLECTIVES_REDUCE_H

#include "mpi/collectives/collectives.h"

/* clang-format off */
Reduce reduce_naive;          /* 01: all send to the root, which reduces them one after the other */
Reduce reduce_binomial;       /* 02: pairs reduce, then pairs of pairs: a binomial tree upwards */
Reduce reduce_scatter_gather; /* 03: every rank reduces one chunk, and the root gathers them */
Reduce reduce_mpi;            /* the library's */
/* clang-format on */

#endif
