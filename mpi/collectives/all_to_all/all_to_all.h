/* All-to-all: every rank has a row for every other one. The signature AllToAll and its contract stand in
 * mpi/collectives/collectives.h; the ladder in ladder.c. p ranks, n bytes in a row (not in all rows together), alpha seconds a
 * message, beta seconds a byte.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_ALL_TO_ALL_H
#define MPI_COLLECTIVES_ALL_TO_ALL_H

#include "mpi/collectives/collectives.h"

/* clang-format off */
AllToAll all_to_all_naive;    /* 01: each exchanges with ranks 0, 1, 2 .. one after the other */
AllToAll all_to_all_pairwise; /* 02: in step s to the rank s after, from the one s before */
AllToAll all_to_all_bruck;    /* 03: lg p steps with half of the rows each */
AllToAll all_to_all_mpi;      /* the library's */
/* clang-format on */

/* Row i of a matrix of rows of n elements. */
static inline void *
all_to_all_row(const void *matrix, size_t n, Element type, int i)
{
    return element_at(matrix, type, (size_t)i * n);
}

#endif
