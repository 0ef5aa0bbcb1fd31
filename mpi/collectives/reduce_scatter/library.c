/* The MPI library's own reduce-scatter, beside which ours stand.
 * PMPI_: see mpi/collectives/allreduce/library.c. SPDX-License-Identifier: MIT */
#include "core/checked_mpi.h"
#include "mpi/collectives/int_counts.h"
#include "reduce_scatter.h"

void
reduce_scatter_mpi(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    const Chunk mine = chunk_of(n, comm->size, comm->rank);
    /* In place MPI puts the chunk at the beginning of the vector, we want it where it belongs. An empty chunk is nowhere. */
    const bool in_place = mine.count > 0 && y == element_at(x, type, mine.first);
    IntCounts parts = int_counts_create(comm, n);
    CHECK_MPI(PMPI_Reduce_scatter(in_place ? MPI_IN_PLACE : x, in_place ? element_at(x, type, 0) : y, parts.counts,
                                  element_mpi(type), reduction_mpi(op), comm->mpi));
    if (in_place)
        memmove(y, x, mine.count * element_size(type));
    int_counts_free(&parts);
}
