/* MPI_Bcast, MPI_Allgather, MPI_Alltoall, MPI_Barrier: data goes around as bytes, and every rank may describe its own by another
 * type. Only bytes are the same on all ranks, so nothing else decides.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "mpi/dropin/internal.h"

int
MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm mpi)
{
    const CollectiveKind kind = COLLECTIVE_BROADCAST;
    Comm *comm = dropin_comm(mpi, false);
    const CollectiveRung *rung = NULL;
    Layout layout;
    if (comm != NULL && root >= 0 && root < comm->size && layout_of(&layout, datatype, count) &&
        layout_has(&layout, buffer))
        rung = dropin_rung(kind, comm, layout.bytes, ELEMENT_BYTE);
    if (rung == NULL)
        return dropin_left(kind, PMPI_Bcast(buffer, count, datatype, root, mpi));
    void *bytes = layout_open(&layout, 1, buffer, comm->rank == root);
    dropin_run(kind, rung, comm, NULL, bytes, layout.bytes, ELEMENT_BYTE, REDUCTION_SUM, root);
    layout_close(&layout, 1, buffer, bytes, comm->rank != root);
    return MPI_SUCCESS;
}

/* What Allgather and Alltoall have in common: the same number of bytes to each rank and from each. */
typedef struct Exchange {
    Comm *comm;
    Layout send, receive; /* to one rank, from one */
    bool in_place;        /* then send is receive */
    size_t n;             /* bytes as the rungs count them */
    const CollectiveRung *rung;
} Exchange;

/* False if the library must do it. */
static bool
exchange_of(Exchange *e, MPI_Comm mpi, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
            int recvcount, MPI_Datatype recvtype)
{
    e->in_place = sendbuf == MPI_IN_PLACE;
    if (recvbuf == MPI_IN_PLACE || !layout_of(&e->receive, recvtype, recvcount) || !layout_has(&e->receive, recvbuf))
        return false;
    e->comm = dropin_comm(mpi, e->receive.bytes > 0);
    e->send = e->receive;
    if (e->comm == NULL || e->in_place)
        return e->comm != NULL;
    return layout_of(&e->send, sendtype, sendcount) && layout_has(&e->send, sendbuf) &&
           e->send.bytes == e->receive.bytes;
}

/* Block i of a buffer of bytes. */
static void *
block(void *bytes, size_t size, int i)
{
    return element_at(bytes, ELEMENT_BYTE, size * (size_t)i);
}

int
MPI_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
              MPI_Datatype recvtype, MPI_Comm mpi)
{
    const CollectiveKind kind = COLLECTIVE_ALL_GATHER;
    Exchange e = {.rung = NULL};
    if (exchange_of(&e, mpi, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype)) {
        e.n = e.receive.bytes * (size_t)e.comm->size;
        e.rung = dropin_rung(kind, e.comm, e.n, ELEMENT_BYTE);
    }
    if (e.rung == NULL)
        return dropin_left(kind, PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, mpi));
    /* In place all of recvbuf is packed, of which only this rank's block counts. */
    void *y = layout_open(&e.receive, e.comm->size, recvbuf, e.in_place);
    void *x = e.in_place ? block(y, e.receive.bytes, e.comm->rank) : layout_open(&e.send, 1, sendbuf, true);
    dropin_run(kind, e.rung, e.comm, x, y, e.n, ELEMENT_BYTE, REDUCTION_SUM, 0);
    if (!e.in_place)
        layout_close(&e.send, 1, sendbuf, x, false);
    layout_close(&e.receive, e.comm->size, recvbuf, y, true);
    return MPI_SUCCESS;
}

/* Rungs never work in place, so in place the rows that are sent are a copy. */
static void *
copy_of(const Exchange *e, const void *rows)
{
    const size_t bytes = e->receive.bytes * (size_t)e->comm->size;
    void *copy = array_create(bytes, 1);
    collective_copy(rows, copy, bytes, ELEMENT_BYTE);
    return copy;
}

int
MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
             MPI_Datatype recvtype, MPI_Comm mpi)
{
    const CollectiveKind kind = COLLECTIVE_ALL_TO_ALL;
    Exchange e = {.rung = NULL};
    if (exchange_of(&e, mpi, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype)) {
        e.n = e.receive.bytes;
        e.rung = dropin_rung(kind, e.comm, e.n, ELEMENT_BYTE);
    }
    if (e.rung == NULL)
        return dropin_left(kind, PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, mpi));
    const int p = e.comm->size;
    void *y = layout_open(&e.receive, p, recvbuf, e.in_place);
    void *x = e.in_place ? copy_of(&e, y) : layout_open(&e.send, p, sendbuf, true);
    dropin_run(kind, e.rung, e.comm, x, y, e.n, ELEMENT_BYTE, REDUCTION_SUM, 0);
    if (e.in_place)
        array_free(x);
    else
        layout_close(&e.send, p, sendbuf, x, false);
    layout_close(&e.receive, p, recvbuf, y, true);
    return MPI_SUCCESS;
}

int
MPI_Barrier(MPI_Comm mpi)
{
    const CollectiveKind kind = COLLECTIVE_BARRIER;
    Comm *comm = dropin_comm(mpi, true);
    const CollectiveRung *rung = comm ? dropin_rung(kind, comm, 0, ELEMENT_BYTE) : NULL;
    if (rung == NULL)
        return dropin_left(kind, PMPI_Barrier(mpi));
    return dropin_run(kind, rung, comm, NULL, NULL, 0, ELEMENT_BYTE, REDUCTION_SUM, 0);
}
