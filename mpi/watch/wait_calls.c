/* The wrappers of messages under way: begun here, waited for there.
 *
 * MPI_Waitall waits for one after the other: so it is known which one a rank still waits for, and nothing is slower, as every
 * wait moves all messages on. A test that finds nothing is no move and no wait: a rank that polls counts as computing, unless
 * it declares that it is idle.
 * SPDX-License-Identifier: MIT */
#include "mpi/watch/requests.h"
#include "mpi/watch/watch.h"
#include "mpi/watch/wrap.h"

typedef int Begin(const void *x, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);

static int
begin_send(WatchCall call, Begin *begin, const void *x, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
           MPI_Request *request)
{
    if (watch_on & WATCH_STRICT)
        begin = PMPI_Issend;
    const int code = begin(x, count, type, to, tag, comm, request);
    Group *group;
    if (watch_on == 0 || code != MPI_SUCCESS || !wrap_group(comm, to, &group))
        return code;
    const Wait wait = wrap_message(call, WAIT_TO, group, to, tag, count, type);
    requests_add(request, wait, group, log_message(EVENT_SEND, wait.peer, tag, wait.bytes, group->id));
    return code;
}

int
MPI_Isend(const void *x, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    return begin_send(CALL_Isend, PMPI_Isend, x, count, type, to, tag, comm, request);
}

int
MPI_Issend(const void *x, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    return begin_send(CALL_Issend, PMPI_Issend, x, count, type, to, tag, comm, request);
}

int
MPI_Irecv(void *y, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    const int code = PMPI_Irecv(y, count, type, from, tag, comm, request);
    Group *group;
    if (watch_on == 0 || code != MPI_SUCCESS || !wrap_group(comm, from, &group))
        return code;
    const Wait wait = wrap_message(CALL_Irecv, WAIT_FROM, group, from, tag, count, type);
    requests_add(request, wait, group, log_message(EVENT_RECEIVE, wait.peer, tag, wait.bytes, group->id));
    return code;
}

static bool idle;

void
watch_idle(bool now)
{
    idle = now;
}

/* The first of the requests that are not done was tested in vain. */
static void
tested_in_vain(WatchCall call, MPI_Request *place)
{
    if (!idle || activity_parked)
        return;
    const Request *request = requests_find(place);
    Wait wait = {.kind = WAIT_ANY};
    if (request != NULL)
        wait = request->wait;
    wait.call = call;
    activity_begin(wait);
    activity_parked = true;
}

static void
completed(Request *request, const MPI_Status *status, bool together)
{
    if (request == NULL)
        return;
    if (request->wait.call == CALL_Irecv)
        wrap_received(request->event, request->group, status);
    log_wait(request->event, together);
    requests_remove(request);
}

/* A request whose beginning was not watched (MPI_Ibcast, MPI_Start) may wait for any rank. */
static int
wait_for(WatchCall call, MPI_Request *place, MPI_Status *status, bool together)
{
    MPI_Status own = {0};
    status = status == MPI_STATUS_IGNORE ? &own : status;
    if (*place == MPI_REQUEST_NULL)
        return PMPI_Wait(place, status);
    Request *request = requests_find(place);
    Wait wait = {.kind = WAIT_ANY};
    if (request != NULL)
        wait = request->wait;
    wait.call = call;
    activity_begin(wait);
    const int code = PMPI_Wait(place, status);
    activity_end();
    completed(request, status, together);
    return code;
}

int
MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    return watch_on == 0 ? PMPI_Wait(request, status) : wait_for(CALL_Wait, request, status, false);
}

int
MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    if (watch_on == 0)
        return PMPI_Waitall(count, requests, statuses);
    for (int i = 0; i < count; i++) {
        MPI_Status *status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
        const int code = wait_for(CALL_Waitall, &requests[i], status, i > 0);
        if (code != MPI_SUCCESS)
            return code;
    }
    return MPI_SUCCESS;
}

int
MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status)
{
    if (watch_on == 0)
        return PMPI_Waitany(count, requests, index, status);
    MPI_Status own = {0};
    status = status == MPI_STATUS_IGNORE ? &own : status;
    for (int i = 0; i < count; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            requests_find(&requests[i]); /* so that its place is known when its handle is gone */
    activity_begin((Wait){.call = CALL_Waitany, .kind = WAIT_ANY});
    const int code = PMPI_Waitany(count, requests, index, status);
    activity_end();
    if (code == MPI_SUCCESS && *index != MPI_UNDEFINED)
        completed(requests_at(&requests[*index]), status, false);
    return code;
}

int
MPI_Test(MPI_Request *place, int *done, MPI_Status *status)
{
    if (watch_on == 0 || *place == MPI_REQUEST_NULL)
        return PMPI_Test(place, done, status);
    MPI_Status own = {0};
    status = status == MPI_STATUS_IGNORE ? &own : status;
    Request *request = requests_find(place);
    const int code = PMPI_Test(place, done, status);
    if (code == MPI_SUCCESS && *done) {
        activity_unpark();
        completed(request, status, false);
    } else if (code == MPI_SUCCESS) {
        tested_in_vain(CALL_Test, place);
    }
    return code;
}

int
MPI_Testall(int count, MPI_Request *requests, int *done, MPI_Status *statuses)
{
    if (watch_on == 0)
        return PMPI_Testall(count, requests, done, statuses);
    for (int i = 0; i < count; i++) { /* all that are over: only then nothing is begun that cannot be taken back */
        *done = 1;
        const int code = requests[i] == MPI_REQUEST_NULL
                             ? MPI_SUCCESS
                             : PMPI_Request_get_status(requests[i], done, MPI_STATUS_IGNORE);
        if (code == MPI_SUCCESS && !*done)
            tested_in_vain(CALL_Testall, &requests[i]);
        if (code != MPI_SUCCESS || !*done)
            return code;
    }
    *done = 1;
    return MPI_Waitall(count, requests, statuses);
}
