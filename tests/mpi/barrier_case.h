/* Whether a barrier holds everybody back. SPDX-License-Identifier: MIT */
#ifndef TESTS_MPI_BARRIER_CASE_H
#define TESTS_MPI_BARRIER_CASE_H

#include "core/checked_mpi.h"
#include "mpi/collectives/collectives.h"
#include <stdatomic.h>
#include <unistd.h>

enum { LATE_MICROSECONDS = 3000 };

/* An integer in the memory that the ranks share, 0 at first. */
static inline atomic_int *
shared_counter(Comm *comm, MPI_Win *window)
{
    atomic_int *counter;
    MPI_Aint size;
    int unit;
    CHECK_MPI(MPI_Win_allocate_shared(comm->rank == 0 ? sizeof(*counter) : 0, sizeof(*counter), MPI_INFO_NULL,
                                      comm->mpi, &counter, window));
    CHECK_MPI(MPI_Win_shared_query(*window, 0, &size, &unit, &counter));
    if (comm->rank == 0)
        atomic_store(counter, 0);
    CHECK_MPI(PMPI_Barrier(comm->mpi));
    return counter;
}

/* Each rank in turn comes late to the barrier: some time after all others. Ranks count themselves when they come: a rank that
 * leaves and has not seen all of them has left early. How often, on all ranks together; 0 proves nothing, but a barrier that
 * lets ranks through is caught unless that takes them longer than the late one waits. The ranks must have memory in common.
 * Between two turns all meet in the library's own barrier, because the one under test may be MPI_Barrier. */
static inline size_t
left_early(Comm *comm, Barrier *barrier)
{
    MPI_Win window;
    atomic_int *come = shared_counter(comm, &window);
    unsigned long early = 0;
    for (int late = 0; late < comm->size; late++) {
        if (comm->rank == late) {
            while (atomic_load(come) < (late + 1) * comm->size - 1)
                usleep(100);
            usleep(LATE_MICROSECONDS);
        }
        atomic_fetch_add(come, 1);
        barrier(comm);
        early += atomic_load(come) < (late + 1) * comm->size;
        CHECK_MPI(PMPI_Barrier(comm->mpi)); /* also where the one under test lets ranks through */
    }
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &early, 1, MPI_UNSIGNED_LONG, MPI_SUM, comm->mpi));
    CHECK_MPI(MPI_Win_free(&window));
    return early;
}

#endif
