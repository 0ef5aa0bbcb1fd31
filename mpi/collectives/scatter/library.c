/* The MPI library's own scatter, beside which ours stand.
 * PMPI_: see mpi/collectives/allreduce/library.c. SPDX-License-Identifier: MIT */
#include "core/checked_mpi.h"
#include "mpi/collectives/int_counts.h"
#include "scatter.h"

void
scatter_mpi(Comm *comm, const void *x, void *y, size_t n, Element type, int root)
{
    const Chunk mine = chunk_of(n, comm->size, comm->rank);
    const bool at_root = comm->rank == root;
    IntCounts parts = int_counts_create(comm, n);
    CHECK_MPI(PMPI_Scatterv(at_root ? x : NULL, parts.counts, parts.displacements, element_mpi(type),
                            at_root && y == element_at(x, type, mine.first) ? MPI_IN_PLACE : y, (int)mine.count,
                            element_mpi(type), root, comm->mpi));
    int_counts_free(&parts);
}
