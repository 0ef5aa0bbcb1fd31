/* Small programs with a mistake to find, for the labs. SPDX-License-Identifier: MIT */
#ifndef MPI_PRACTICE_H
#define MPI_PRACTICE_H

#include "mpi/comm.h"

/* y[n] = x of the rank before, where the rank before rank 0 is the last. x and y must not overlap. */
void ring_shift(Comm *comm, const void *x, void *y, size_t n, Element type);

#endif
