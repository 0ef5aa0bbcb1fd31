/* The MPI library's own all-gather, beside which ours stand.
 * PMPI_: see mpi/collectives/allreduce/library.c. SPDX-License-Identifier: MIT */
#include "all_gather.h"
#include "core/checked_mpi.h"
#include "mpi/collectives/int_counts.h"

void
all_gather_mpi(Comm *comm, const void *x, void *y, size_t n, Element type)
{
    const Chunk mine = chunk_of(n, comm->size, comm->rank);
    IntCounts parts = int_counts_create(comm, n);
    CHECK_MPI(PMPI_Allgatherv(x == element_at(y, type, mine.first) ? MPI_IN_PLACE : x, (int)mine.count,
                              element_mpi(type), y, parts.counts, parts.displacements, element_mpi(type), comm->mpi));
    int_counts_free(&parts);
}
