/* Barrier: no rank leaves before all have entered. The signature Barrier stands in mpi/collectives/collectives.h; the ladder
 * in ladder.c. p ranks, alpha seconds a message.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_BARRIER_H
#define MPI_COLLECTIVES_BARRIER_H

#include "mpi/collectives/collectives.h"

/* clang-format off */
Barrier barrier_central;       /* 01: all tell rank 0, which tells all */
Barrier barrier_dissemination; /* 02: in each step everyone hears of twice as many */
Barrier barrier_mpi;           /* the library's */
/* clang-format on */

/* An empty message: a signal. */
static inline void
barrier_send(Comm *comm, int to)
{
    point_send(comm, to, NULL, 0, ELEMENT_BYTE);
}

static inline void
barrier_receive(Comm *comm, int from)
{
    point_receive(comm, from, NULL, 0, ELEMENT_BYTE);
}

#endif
