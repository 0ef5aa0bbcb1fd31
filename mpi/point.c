/* SPDX-License-Identifier: MIT */
#include "mpi/point.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "mpi/segments.h"
#include <limits.h>

/* Messages between two ranks arrive in the order in which they were sent: one tag is enough for a communicator. */

static size_t limit = INT_MAX;

void
point_set_limit(size_t elements)
{
    limit = elements == 0 || elements > INT_MAX ? INT_MAX : elements;
}

/* A rank where our messages go. */
static int
address(const Comm *comm, int rank)
{
    return comm->at != NULL ? comm->at[rank] : rank;
}

/* At least one: an empty vector is an empty message, which the other rank waits for. */
static int
messages(size_t n)
{
    return (int)segments_of(n, limit);
}

static int
length(size_t n, int message)
{
    return (int)segment_of(n, limit, (size_t)message).count;
}

void
point_send(Comm *comm, int to, const void *x, size_t n, Element type)
{
    if (comm_polls(comm)) {
        Pending out;
        point_begin_send(comm, to, x, n, type, &out);
        point_wait(&out);
        return;
    }
    for (int i = 0; i < messages(n); i++)
        CHECK_MPI(MPI_Send(element_at(x, type, (size_t)i * limit), length(n, i), element_mpi(type), address(comm, to),
                           comm->tag, comm->messages));
}

/* Message i of the vector, from this address. */
static void
receive(Comm *comm, int from, void *y, size_t n, Element type, int i, MPI_Status *status)
{
    CHECK_MPI(MPI_Recv(element_at(y, type, (size_t)i * limit), length(n, i), element_mpi(type), from, comm->tag,
                       comm->messages, status));
}

void
point_receive(Comm *comm, int from, void *y, size_t n, Element type)
{
    if (comm_polls(comm)) {
        Pending in;
        point_begin_receive(comm, from, y, n, type, &in);
        point_wait(&in);
        return;
    }
    for (int i = 0; i < messages(n); i++)
        receive(comm, address(comm, from), y, n, type, i, MPI_STATUS_IGNORE);
}

/* All messages of the vector come from the sender of the first. */
int
point_receive_any(Comm *comm, void *y, size_t n, Element type)
{
    MPI_Status status;
    receive(comm, MPI_ANY_SOURCE, y, n, type, 0, &status);
    for (int i = 1; i < messages(n); i++)
        receive(comm, status.MPI_SOURCE, y, n, type, i, MPI_STATUS_IGNORE);
    int rank = status.MPI_SOURCE;
    if (comm->at != NULL)
        for (rank = 0; comm->at[rank] != status.MPI_SOURCE;)
            rank++;
    return rank;
}

void
point_exchange(Comm *comm, int to, const void *x, size_t n, int from, void *y, size_t m, Element type)
{
    if (messages(n) == 1 && messages(m) == 1 && !comm_polls(comm)) {
        CHECK_MPI(MPI_Sendrecv(x, (int)n, element_mpi(type), address(comm, to), comm->tag, y, (int)m, element_mpi(type),
                               address(comm, from), comm->tag, comm->messages, MPI_STATUS_IGNORE));
        return;
    }
    Pending in, out; /* the two may be different numbers of messages */
    point_begin_receive(comm, from, y, m, type, &in);
    point_begin_send(comm, to, x, n, type, &out);
    point_wait(&in);
    point_wait(&out);
}

static void
begin(Comm *comm, Pending *pending, size_t n)
{
    pending->comm = comm;
    pending->count = messages(n);
    pending->request = pending->count == 1 ? &pending->one : ARRAY(MPI_Request, (size_t)pending->count);
}

void
point_begin_send(Comm *comm, int to, const void *x, size_t n, Element type, Pending *pending)
{
    point_begin_send_tagged(comm, to, 0, x, n, type, pending);
}

void
point_begin_receive(Comm *comm, int from, void *y, size_t n, Element type, Pending *pending)
{
    point_begin_receive_tagged(comm, from, 0, y, n, type, pending);
}

void
point_begin_send_tagged(Comm *comm, int to, int tag, const void *x, size_t n, Element type, Pending *pending)
{
    begin(comm, pending, n);
    for (int i = 0; i < pending->count; i++)
        CHECK_MPI(MPI_Isend(element_at(x, type, (size_t)i * limit), length(n, i), element_mpi(type), address(comm, to),
                            comm->tag + tag, comm->messages, &pending->request[i]));
}

void
point_begin_receive_tagged(Comm *comm, int from, int tag, void *y, size_t n, Element type, Pending *pending)
{
    begin(comm, pending, n);
    for (int i = 0; i < pending->count; i++)
        CHECK_MPI(MPI_Irecv(element_at(y, type, (size_t)i * limit), length(n, i), element_mpi(type),
                            address(comm, from), comm->tag + tag, comm->messages, &pending->request[i]));
}

/* Polls as long as the rank has something else to do; then waits in MPI, which the watchdog sees (mpi/watch). */
void
point_wait(Pending *pending)
{
    Comm *comm = pending->comm;
    for (unsigned polls = 0; comm_polls(comm); comm->yield(comm->yield_context, polls++)) {
        int done;
        CHECK_MPI(MPI_Testall(pending->count, pending->request, &done, MPI_STATUSES_IGNORE));
        if (done)
            break;
    }
    CHECK_MPI(MPI_Waitall(pending->count, pending->request, MPI_STATUSES_IGNORE));
    if (pending->request != &pending->one)
        array_free(pending->request);
}

bool
point_test(Pending *pending)
{
    int done = 0;
    CHECK_MPI(MPI_Testall(pending->count, pending->request, &done, MPI_STATUSES_IGNORE));
    return done;
}
