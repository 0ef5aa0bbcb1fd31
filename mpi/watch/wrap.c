/* SPDX-License-Identifier: MIT */
#include "mpi/watch/wrap.h"

bool
wrap_group(MPI_Comm comm, int peer, Group **group)
{
    if (comm == MPI_COMM_NULL || peer == MPI_PROC_NULL)
        return false;
    *group = group_of(comm);
    return peer == MPI_ANY_SOURCE || (peer >= 0 && peer < (*group)->size);
}

Wait
wrap_message(WatchCall call, WaitKind kind, const Group *group, int peer, int tag, int count, MPI_Datatype type)
{
    int size = 0;
    if (type != MPI_DATATYPE_NULL)
        PMPI_Type_size(type, &size);
    return (Wait){.call = call,
                  .kind = peer == MPI_ANY_SOURCE ? WAIT_ANY : kind,
                  .peer = group_world(group, peer),
                  .tag = tag == MPI_ANY_TAG ? -1 : tag,
                  .bytes = count < 0 || size < 0 ? 0 : (uint64_t)count * (uint64_t)size,
                  .group = group->id,
                  .members = group->members};
}

void
wrap_received(int event, const Group *group, const MPI_Status *status)
{
    if (!(watch_on & WATCH_LOG))
        return;
    MPI_Count bytes = 0;
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    const int peer = group == NULL ? -1 : group_world(group, status->MPI_SOURCE);
    log_received(event, peer, status->MPI_TAG, bytes < 0 ? 0 : (uint64_t)bytes);
}
