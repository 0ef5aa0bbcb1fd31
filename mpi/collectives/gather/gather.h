/* Gather: the root gets the chunks of all ranks. The signature Gather and its contract stand in mpi/collectives/collectives.h;
 * the ladder in ladder.c. p ranks, n bytes in all chunks together, alpha seconds a message, beta seconds a byte.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_GATHER_H
#define MPI_COLLECTIVES_GATHER_H

#include "mpi/collectives/collectives.h"

/* clang-format off */
Gather gather_naive;    /* 01: all send to the root */
Gather gather_binomial; /* 02: chunks are collected up a binomial tree */
Gather gather_mpi;      /* the library's */
/* clang-format on */

#endif
