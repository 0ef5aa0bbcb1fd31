/* SPDX-License-Identifier: MIT */
#include "mpi/collectives/int_counts.h"
#include "core/array.h"
#include <limits.h>

IntCounts
int_counts_create(const Comm *comm, size_t n)
{
    const size_t p = (size_t)comm->size;
    IntCounts parts = {.counts = ARRAY(int, p), .displacements = ARRAY(int, p)};
    for (int i = 0; i < comm->size; i++) {
        const Chunk chunk = chunk_of(n, comm->size, i);
        parts.counts[i] = (int)chunk.count;
        parts.displacements[i] = (int)chunk.first;
    }
    return parts;
}

void
int_counts_free(IntCounts *parts)
{
    array_free(parts->counts);
    array_free(parts->displacements);
}

bool
int_counts_accepts(Comm *comm, size_t n, Element type, Error *reason)
{
    (void)comm, (void)type;
    if (n <= INT_MAX)
        return true;
    return error_set(reason, "MPI counts elements in an int, at most %d, and here are %zu", INT_MAX, n);
}
