/* Counts and displacements of all ranks' chunks, as MPI's own operations take them: as ints.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_INT_COUNTS_H
#define MPI_COLLECTIVES_INT_COUNTS_H

#include "mpi/collectives/collectives.h"

typedef struct IntCounts {
    int *counts, *displacements; /* [p] */
} IntCounts;

/* n must be accepted by int_counts_accepts. */
IntCounts int_counts_create(const Comm *comm, size_t n);
void int_counts_free(IntCounts *parts);

/* Refuses more elements than an int can count: the `accepts` of the library's rows. */
bool int_counts_accepts(Comm *comm, size_t n, Element type, Error *reason);

#endif
