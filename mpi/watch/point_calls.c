/* The wrappers of calls that send or receive one message and wait for it.
 *
 * MPI_Sendrecv is taken apart as Open MPI does itself: begin to receive, send, wait for what is to come. So it is known which
 * of the two a rank waits for.
 * SPDX-License-Identifier: MIT */
#include "mpi/watch/wrap.h"

typedef int SendCall(const void *x, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);

static int
send_now(WatchCall call, SendCall *how, const void *x, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
         int *event)
{
    if (watch_on & WATCH_STRICT)
        how = PMPI_Ssend;
    Group *group;
    if (!wrap_group(comm, to, &group))
        return how(x, count, type, to, tag, comm);
    const Wait wait = wrap_message(call, WAIT_TO, group, to, tag, count, type);
    *event = log_message(EVENT_SEND, wait.peer, tag, wait.bytes, group->id);
    activity_begin(wait);
    const int code = how(x, count, type, to, tag, comm);
    activity_end();
    return code;
}

int
MPI_Send(const void *x, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    if (watch_on == 0)
        return PMPI_Send(x, count, type, to, tag, comm);
    int event = -1;
    const int code = send_now(CALL_Send, PMPI_Send, x, count, type, to, tag, comm, &event);
    log_wait(event, false);
    return code;
}

int
MPI_Ssend(const void *x, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    if (watch_on == 0)
        return PMPI_Ssend(x, count, type, to, tag, comm);
    int event = -1;
    const int code = send_now(CALL_Ssend, PMPI_Ssend, x, count, type, to, tag, comm, &event);
    log_wait(event, false);
    return code;
}

int
MPI_Recv(void *y, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    Group *group;
    if (watch_on == 0 || !wrap_group(comm, from, &group))
        return PMPI_Recv(y, count, type, from, tag, comm, status);
    MPI_Status own = {0};
    status = status == MPI_STATUS_IGNORE ? &own : status;
    const Wait wait = wrap_message(CALL_Recv, WAIT_FROM, group, from, tag, count, type);
    const int event = log_message(EVENT_RECEIVE, wait.peer, tag, wait.bytes, group->id);
    activity_begin(wait);
    const int code = PMPI_Recv(y, count, type, from, tag, comm, status);
    activity_end();
    if (code == MPI_SUCCESS)
        wrap_received(event, group, status);
    log_wait(event, false);
    return code;
}

/* With partners on both sides; MPI_PROC_NULL is left to MPI. */
static int
exchange(const void *x, int count, MPI_Datatype type, int to, int tag, void *y, int room, MPI_Datatype into, int from,
         int from_tag, MPI_Comm comm, MPI_Status *status)
{
    Group *group;
    MPI_Request request;
    MPI_Status own = {0};
    status = status == MPI_STATUS_IGNORE ? &own : status;
    int code = PMPI_Irecv(y, room, into, from, from_tag, comm, &request), sent = -1;
    if (code != MPI_SUCCESS || !wrap_group(comm, from, &group))
        return code;
    const Wait wait = wrap_message(CALL_Sendrecv, WAIT_FROM, group, from, from_tag, room, into);
    const int received = log_message(EVENT_RECEIVE, wait.peer, from_tag, wait.bytes, group->id);
    code = send_now(CALL_Sendrecv, PMPI_Send, x, count, type, to, tag, comm, &sent);
    if (code != MPI_SUCCESS)
        return code;
    activity_begin(wait);
    code = PMPI_Wait(&request, status);
    activity_end();
    if (code == MPI_SUCCESS)
        wrap_received(received, group, status);
    log_wait(sent, false);
    log_wait(received, true);
    return code;
}

int
MPI_Sendrecv(const void *x, int count, MPI_Datatype type, int to, int tag, void *y, int room, MPI_Datatype into,
             int from, int from_tag, MPI_Comm comm, MPI_Status *status)
{
    if (watch_on == 0)
        return PMPI_Sendrecv(x, count, type, to, tag, y, room, into, from, from_tag, comm, status);
    if (to == MPI_PROC_NULL) {
        /* MPI_PROC_NULL gives an empty status, so only the receive is left to do. */
        return MPI_Recv(y, room, into, from, from_tag, comm, status);
    }
    Group *group;
    if (!wrap_group(comm, to, &group) || !wrap_group(comm, from, &group)) {
        if (from != MPI_PROC_NULL)
            return PMPI_Sendrecv(x, count, type, to, tag, y, room, into, from, from_tag, comm, status);
        const int code = MPI_Send(x, count, type, to, tag, comm);
        return code == MPI_SUCCESS ? PMPI_Recv(y, room, into, from, from_tag, comm, status) : code;
    }
    return exchange(x, count, type, to, tag, y, room, into, from, from_tag, comm, status);
}

/* Waits for a message, which stays where it is. */
int
MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    Group *group;
    if (watch_on == 0 || !wrap_group(comm, from, &group))
        return PMPI_Probe(from, tag, comm, status);
    activity_begin(wrap_message(CALL_Probe, WAIT_FROM, group, from, tag, 0, MPI_BYTE));
    const int code = PMPI_Probe(from, tag, comm, status);
    activity_end();
    return code;
}
