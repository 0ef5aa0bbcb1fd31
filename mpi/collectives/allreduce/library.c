/* The MPI library's own all-reduce, beside which ours stand. By its second name, PMPI_, it goes past our wrappers (mpi/watch) and
 * costs what the library costs: for a few bytes these would show. So the watchdog does not see a rank that waits in it.
 * SPDX-License-Identifier: MIT */
#include "allreduce.h"
#include "core/checked_mpi.h"
#include <limits.h>

void
allreduce_mpi(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    const void *from = x == y ? MPI_IN_PLACE : x;
    for (size_t first = 0; first < n || first == 0; first += INT_MAX) {
        const size_t rest = n - first;
        const int count = (int)(rest < INT_MAX ? rest : INT_MAX);
        CHECK_MPI(PMPI_Allreduce(x == y ? from : element_at(x, type, first), element_at(y, type, first), count,
                                 element_mpi(type), reduction_mpi(op), comm->mpi));
    }
}
