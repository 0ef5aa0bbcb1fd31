/* The MPI library's own all-to-all, beside which ours stand.
 * PMPI_: see mpi/collectives/allreduce/library.c. SPDX-License-Identifier: MIT */
#include "all_to_all.h"
#include "core/checked_mpi.h"

void
all_to_all_mpi(Comm *comm, const void *x, void *y, size_t n, Element type)
{
    CHECK_MPI(PMPI_Alltoall(x, (int)n, element_mpi(type), y, (int)n, element_mpi(type), comm->mpi));
}
