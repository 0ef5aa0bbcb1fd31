/* All-gather: every rank gets the chunks of all. The signature AllGather and its contract stand in
 * mpi/collectives/collectives.h; the ladder in ladder.c. p ranks, n bytes in all chunks together, alpha seconds a message, beta
 * seconds a byte.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_ALL_GATHER_H
#define MPI_COLLECTIVES_ALL_GATHER_H

#include "mpi/collectives/collectives.h"

/* clang-format off */
AllGather all_gather_naive;     /* 01: all to rank 0, which sends everything to everyone */
AllGather all_gather_ring;      /* 02: chunks go around */
AllGather all_gather_recursive; /* 03: pairs, fours, .. of ranks exchange what they have */
AllGather all_gather_bruck;     /* 04: the same for any number of ranks, around the ring */
AllGather all_gather_mpi;       /* the library's */
/* clang-format on */

#endif
