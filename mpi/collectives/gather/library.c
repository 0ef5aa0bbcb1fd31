/* The MPI library's own gather, beside which ours stand.
 * PMPI_: see mpi/collectives/allreduce/library.c. SPDX-License-Identifier: MIT */
#include "core/checked_mpi.h"
#include "gather.h"
#include "mpi/collectives/int_counts.h"

void
gather_mpi(Comm *comm, const void *x, void *y, size_t n, Element type, int root)
{
    const Chunk mine = chunk_of(n, comm->size, comm->rank);
    const bool at_root = comm->rank == root;
    IntCounts parts = int_counts_create(comm, n);
    CHECK_MPI(PMPI_Gatherv(at_root && x == element_at(y, type, mine.first) ? MPI_IN_PLACE : x, (int)mine.count,
                           element_mpi(type), at_root ? y : NULL, parts.counts, parts.displacements, element_mpi(type),
                           root, comm->mpi));
    int_counts_free(&parts);
}
