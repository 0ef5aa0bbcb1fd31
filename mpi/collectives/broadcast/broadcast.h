/* Broadcast: the root's vector to all ranks. The signature Broadcast and its contract stand in mpi/collectives/collectives.h;
 * the ladder in ladder.c. p ranks, n bytes, alpha seconds a message, beta seconds a byte.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_BROADCAST_H
#define MPI_COLLECTIVES_BROADCAST_H

#include "mpi/collectives/collectives.h"

/* clang-format off */
Broadcast broadcast_naive;              /* 01: the root sends to one rank after the other */
Broadcast broadcast_binomial;           /* 02: every rank that has it forwards it: twice as many have it after each step */
Broadcast broadcast_scatter_all_gather; /* 03: every rank gets a chunk, and the chunks go around */
Broadcast broadcast_chain;              /* 04: from rank to rank in segments, all links busy at the same time */
Broadcast broadcast_mpi;                /* the library's */
/* clang-format on */

#endif
