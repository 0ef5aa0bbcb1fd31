/* SPDX-License-Identifier: MIT */
#include "mpi/collectives/parts.h"
#include "core/array.h"
#include <limits.h>

Parts
parts_create(const Comm *comm, size_t n)
{
    const size_t p = (size_t)comm->size;
    Parts parts = {.counts = ARRAY(int, p), .firsts = ARRAY(int, p)};
    for (int i = 0; i < comm->size; i++) {
        const Chunk chunk = chunk_of(n, comm->size, i);
        parts.counts[i] = (int)chunk.count;
        parts.firsts[i] = (int)chunk.first;
    }
    return parts;
}

void
parts_free(Parts *parts)
{
    array_free(parts->counts);
    array_free(parts->firsts);
}

bool
parts_accepts(Comm *comm, size_t n, Element type, Error *reason)
{
    (void)comm, (void)type;
    if (n <= INT_MAX)
        return true;
    return error_set(reason, "MPI counts elements in an int, at most %d, and here are %zu", INT_MAX, n);
}
