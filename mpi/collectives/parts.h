/* Chunks as MPI's own operations want them: counts and first elements as ints.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_COLLECTIVES_PARTS_H
#define MPI_COLLECTIVES_PARTS_H

#include "mpi/collectives/collectives.h"

typedef struct Parts {
    int *counts, *firsts; /* [p] */
} Parts;

/* n must be accepted by parts_accepts. */
Parts parts_create(const Comm *comm, size_t n);
void parts_free(Parts *parts);

/* Refuses more elements than an int can count: the `accepts` of the library's rows. */
bool parts_accepts(Comm *comm, size_t n, Element type, Error *reason);

#endif
