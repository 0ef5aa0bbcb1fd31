/* The wrappers of what all ranks of a communicator do together by the library's own means: one line each.
 * SPDX-License-Identifier: MIT */
#include "mpi/watch/wrap.h"

static void
begin(WatchCall call, MPI_Comm comm)
{
    log_collective();
    Wait wait = {.call = call, .kind = WAIT_ANY};
    if (comm != MPI_COMM_NULL) {
        Group *group = group_of(comm);
        wait = (Wait){.call = call, .kind = WAIT_ALL, .group = group->id, .members = group->members};
        wait.collective = ++group->collectives;
    }
    activity_begin(wait);
}

#define COLLECTIVE(name, parameters, arguments)                                                                        \
    int MPI_##name parameters                                                                                          \
    {                                                                                                                  \
        if (watch_on == 0)                                                                                             \
            return PMPI_##name arguments;                                                                              \
        begin(CALL_##name, comm);                                                                                      \
        const int code = PMPI_##name arguments;                                                                        \
        activity_end();                                                                                                \
        return code;                                                                                                   \
    }

#define TYPE   MPI_Datatype
#define COUNTS const int *counts, const int *starts

COLLECTIVE(Barrier, (MPI_Comm comm), (comm))
COLLECTIVE(Bcast, (void *x, int n, TYPE type, int root, MPI_Comm comm), (x, n, type, root, comm))
COLLECTIVE(Reduce, (const void *x, void *y, int n, TYPE type, MPI_Op op, int root, MPI_Comm comm),
           (x, y, n, type, op, root, comm))
COLLECTIVE(Allreduce, (const void *x, void *y, int n, TYPE type, MPI_Op op, MPI_Comm comm), (x, y, n, type, op, comm))
COLLECTIVE(Scan, (const void *x, void *y, int n, TYPE type, MPI_Op op, MPI_Comm comm), (x, y, n, type, op, comm))
COLLECTIVE(Exscan, (const void *x, void *y, int n, TYPE type, MPI_Op op, MPI_Comm comm), (x, y, n, type, op, comm))
COLLECTIVE(Reduce_scatter, (const void *x, void *y, const int *counts, TYPE type, MPI_Op op, MPI_Comm comm),
           (x, y, counts, type, op, comm))
COLLECTIVE(Reduce_scatter_block, (const void *x, void *y, int n, TYPE type, MPI_Op op, MPI_Comm comm),
           (x, y, n, type, op, comm))
COLLECTIVE(Allgather, (const void *x, int n, TYPE type, void *y, int m, TYPE into, MPI_Comm comm),
           (x, n, type, y, m, into, comm))
COLLECTIVE(Allgatherv, (const void *x, int n, TYPE type, void *y, COUNTS, TYPE into, MPI_Comm comm),
           (x, n, type, y, counts, starts, into, comm))
COLLECTIVE(Gather, (const void *x, int n, TYPE type, void *y, int m, TYPE into, int root, MPI_Comm comm),
           (x, n, type, y, m, into, root, comm))
COLLECTIVE(Gatherv, (const void *x, int n, TYPE type, void *y, COUNTS, TYPE into, int root, MPI_Comm comm),
           (x, n, type, y, counts, starts, into, root, comm))
COLLECTIVE(Scatter, (const void *x, int n, TYPE type, void *y, int m, TYPE into, int root, MPI_Comm comm),
           (x, n, type, y, m, into, root, comm))
COLLECTIVE(Scatterv, (const void *x, COUNTS, TYPE type, void *y, int m, TYPE into, int root, MPI_Comm comm),
           (x, counts, starts, type, y, m, into, root, comm))
COLLECTIVE(Alltoall, (const void *x, int n, TYPE type, void *y, int m, TYPE into, MPI_Comm comm),
           (x, n, type, y, m, into, comm))
COLLECTIVE(Alltoallv,
           (const void *x, COUNTS, TYPE type, void *y, const int *room, const int *at, TYPE into, MPI_Comm comm),
           (x, counts, starts, type, y, room, at, into, comm))

/* A new communicator is numbered when it is born, watched or not. */
#define COMMUNICATOR(name, parameters, arguments)                                                                      \
    int MPI_##name parameters                                                                                          \
    {                                                                                                                  \
        if (watch_on != 0)                                                                                             \
            begin(CALL_##name, comm);                                                                                  \
        const int code = PMPI_##name arguments;                                                                        \
        if (watch_on != 0)                                                                                             \
            activity_end();                                                                                            \
        if (code == MPI_SUCCESS)                                                                                       \
            group_born(*born);                                                                                         \
        return code;                                                                                                   \
    }

COMMUNICATOR(Comm_dup, (MPI_Comm comm, MPI_Comm *born), (comm, born))
COMMUNICATOR(Comm_split, (MPI_Comm comm, int color, int order, MPI_Comm *born), (comm, color, order, born))
COMMUNICATOR(Comm_split_type, (MPI_Comm comm, int kind, int order, MPI_Info info, MPI_Comm *born),
             (comm, kind, order, info, born))
COMMUNICATOR(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *born), (comm, group, born))
