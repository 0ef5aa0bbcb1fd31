/* What the wrappers share.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_WATCH_WRAP_H
#define MPI_WATCH_WRAP_H

#include "mpi/watch/activity.h"
#include "mpi/watch/group.h"
#include "mpi/watch/log.h"
#include <mpi.h>

/* False: nothing to watch. It is a message to or from MPI_PROC_NULL, or an argument is wrong, which MPI will say. */
bool wrap_group(MPI_Comm comm, int peer, Group **group);

/* A message of `count` elements; from MPI_ANY_SOURCE it waits for any rank. */
Wait wrap_message(WatchCall call, WaitKind kind, const Group *group, int peer, int tag, int count, MPI_Datatype type);

/* Logs a message that has come. group is NULL if its communicator is gone. */
void wrap_received(int event, const Group *group, const MPI_Status *status);

#endif
