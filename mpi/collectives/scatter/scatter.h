/* Scatter: every rank gets its chunk of the root's vector. The signature Scatter and its contract stand in
 * mpi/collectives/collectives.h; the ladder in ladder.c. p ranks, n bytes in all chunks together, alpha seconds a message, beta
 * seconds a byte.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_SCATTER_H
#define MPI_COLLECTIVES_SCATTER_H

#include "mpi/collectives/collectives.h"

/* clang-format off */
Scatter scatter_naive;    /* 01: the root sends to one rank after the other */
Scatter scatter_binomial; /* 02: halves, quarters, .. of the vector go down a binomial tree */
Scatter scatter_mpi;      /* the library's */
/* clang-format on */

#endif
