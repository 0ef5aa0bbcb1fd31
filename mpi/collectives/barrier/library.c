/* The MPI library's own barrier, beside which ours stand. SPDX-License-Identifier: MIT */
#include "barrier.h"
#include "core/checked_mpi.h"

void
barrier_mpi(Comm *comm)
{
    CHECK_MPI(MPI_Barrier(comm->mpi));
}
