/* The MPI library's own barrier, beside which ours stand.
 * PMPI_: see mpi/collectives/allreduce/library.c. SPDX-License-Identifier: MIT */
#include "barrier.h"
#include "core/checked_mpi.h"

void
barrier_mpi(Comm *comm)
{
    CHECK_MPI(PMPI_Barrier(comm->mpi));
}
