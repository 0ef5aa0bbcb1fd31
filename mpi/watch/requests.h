/* Messages under way: what a pending request stands for.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_WATCH_REQUESTS_H
#define MPI_WATCH_REQUESTS_H

#include "mpi/watch/activity.h"
#include "mpi/watch/group.h"

typedef struct Request {
    MPI_Request handle;
    MPI_Request *place; /* the caller's variable: MPI may give the same handle to several sends that are done */
    Wait wait;          /* what it waits for */
    Group *group;       /* NULL if the communicator is gone */
    int event;          /* in the log; -1: not logged */
} Request;

/* *place has just got its request. */
void requests_add(MPI_Request *place, Wait wait, Group *group, int event);

/* What *place stands for, or NULL if its beginning was not watched. To be called before MPI completes it. The address holds
 * until the next requests_add. */
Request *requests_find(MPI_Request *place);

/* What *place stood for when requests_find was last asked, after MPI has completed it. */
Request *requests_at(const MPI_Request *place);

/* After it was completed. NULL is allowed. */
void requests_remove(Request *request);

/* The communicator of this group is gone. */
void requests_forget(const Group *group);

#endif
