/* The MPI library's own broadcast, beside which ours stand.
 * PMPI_: see mpi/collectives/allreduce/library.c. SPDX-License-Identifier: MIT */
#include "broadcast.h"
#include "core/checked_mpi.h"
#include <limits.h>

void
broadcast_mpi(Comm *comm, void *x, size_t n, Element type, int root)
{
    for (size_t first = 0; first < n || first == 0; first += INT_MAX) {
        const size_t rest = n - first;
        CHECK_MPI(PMPI_Bcast(element_at(x, type, first), (int)(rest < INT_MAX ? rest : INT_MAX), element_mpi(type),
                             root, comm->mpi));
    }
}
