/* The MPI library's own all-reduce, beside which ours stand. By its second name, PMPI_, it bypasses our wrappers (mpi/watch)
 * and costs what the library costs: for a few bytes these would show. So the watchdog does not see a rank that waits in it.
 * SPDX-License-Identifier: MIT */
#include "allreduce.h"
#include "core/checked_mpi.h"
#include <limits.h>

/* The library busy-waits, which takes a core: where that is needed for computing, the call is non-blocking and polled. A
 * communicator that polls does so always, as ranks that block for the moment must call the same as those that do not. */
static void
reduce_polling(Comm *comm, const void *x, void *y, int count, Element type, Reduction op)
{
    MPI_Request request;
    CHECK_MPI(PMPI_Iallreduce(x, y, count, element_mpi(type), reduction_mpi(op), comm->mpi, &request));
    for (unsigned polls = 0; comm_polls(comm); comm->yield(comm->yield_context, polls++)) {
        int done;
        CHECK_MPI(PMPI_Test(&request, &done, MPI_STATUS_IGNORE));
        if (done)
            break;
    }
    CHECK_MPI(PMPI_Wait(&request, MPI_STATUS_IGNORE)); /* of a request that is done: nothing */
}

static void
reduce(Comm *comm, const void *x, void *y, int count, Element type, Reduction op)
{
    if (comm->yield != NULL)
        reduce_polling(comm, x, y, count, type, op);
    else
        CHECK_MPI(PMPI_Allreduce(x, y, count, element_mpi(type), reduction_mpi(op), comm->mpi));
}

void
allreduce_mpi(Comm *comm, const void *x, void *y, size_t n, Element type, Reduction op)
{
    const void *from = x == y ? MPI_IN_PLACE : x;
    for (size_t first = 0; first < n || first == 0; first += INT_MAX) {
        const size_t rest = n - first;
        const int count = (int)(rest < INT_MAX ? rest : INT_MAX);
        reduce(comm, x == y ? from : element_at(x, type, first), element_at(y, type, first), count, type, op);
    }
}
