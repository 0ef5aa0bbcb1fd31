/* The MPI library's own reduce, beside which ours stand.
 * PMPI_: see mpi/collectives/allreduce/library.c. SPDX-License-Identifier: MIT */
#include "core/checked_mpi.h"
#include "reduce.h"
#include <limits.h>

void
reduce_mpi(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op, int root)
{
    const bool at_root = comm->rank == root;
    for (size_t first = 0; first < n || first == 0; first += INT_MAX) {
        const size_t rest = n - first;
        CHECK_MPI(PMPI_Reduce(at_root && x == y ? MPI_IN_PLACE : element_at(x, type, first),
                              at_root ? element_at(y, type, first) : NULL, (int)(rest < INT_MAX ? rest : INT_MAX),
                              element_mpi(type), reduction_mpi(op), root, comm->mpi));
    }
}
