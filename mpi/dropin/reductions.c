/* MPI_Allreduce, MPI_Reduce, MPI_Reduce_scatter. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "mpi/dropin/device.h"
#include "mpi/dropin/internal.h"

/* A reduction as its rungs want it. */
typedef struct Vector {
    Comm *comm;
    size_t n;
    Element type;
    Reduction op;
    const CollectiveRung *rung;
} Vector;

/* False if the library must do it: also where there is nothing to do, for which no rank may wait. */
static bool
vector_of(Vector *vector, CollectiveKind kind, MPI_Comm mpi, size_t n, MPI_Datatype datatype, MPI_Op op)
{
    vector->comm = n > 0 ? dropin_comm(mpi, kind != COLLECTIVE_REDUCE) : NULL; /* the root alone waits for all */
    vector->n = n;
    if (vector->comm == NULL || !dropin_reduction(datatype, op, &vector->type, &vector->op))
        return false;
    vector->rung = dropin_rung(kind, vector->comm, n, vector->type);
    return vector->rung != NULL;
}

/* Two buffers that exist and are not the same, or one in place: anything else is wrong. */
static bool
are_buffers(const void *x, const void *y, size_t n)
{
    return n == 0 || (x != NULL && y != NULL && y != MPI_IN_PLACE && x != y);
}

static size_t
bytes_of(const Vector *v)
{
    return v->n * element_size(v->type);
}

/* From sendbuf to recvbuf, which may be on devices; without a result recvbuf is of no meaning. */
static int
reduce(CollectiveKind kind, const Vector *v, const void *sendbuf, void *recvbuf, int root, bool result)
{
    const bool in_place = sendbuf == MPI_IN_PLACE;
    Mirror y = {.host = recvbuf}, x;
    if (result)
        y = mirror_open(recvbuf, bytes_of(v), in_place);
    x = in_place ? y : mirror_open(sendbuf, bytes_of(v), true);
    dropin_run(kind, v->rung, v->comm, x.host, y.host, v->n, v->type, v->op, root);
    if (!in_place)
        mirror_close(&x, false);
    mirror_close(&y, true);
    return MPI_SUCCESS;
}

int
MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm mpi)
{
    const CollectiveKind kind = COLLECTIVE_ALLREDUCE;
    Vector v;
    if (count < 0 || !are_buffers(sendbuf, recvbuf, (size_t)count) ||
        !vector_of(&v, kind, mpi, (size_t)count, datatype, op))
        return dropin_left(kind, PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, mpi));
    return reduce(kind, &v, sendbuf, recvbuf, 0, true);
}

int
MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm mpi)
{
    const CollectiveKind kind = COLLECTIVE_REDUCE;
    Vector v;
    bool ours = count >= 0 && vector_of(&v, kind, mpi, (size_t)count, datatype, op) && root >= 0 && root < v.comm->size;
    if (ours && v.comm->rank == root)
        ours = are_buffers(sendbuf, recvbuf, v.n);
    else if (ours)
        ours = sendbuf != MPI_IN_PLACE && (sendbuf != NULL || v.n == 0);
    if (!ours)
        return dropin_left(kind, PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, mpi));
    return reduce(kind, &v, sendbuf, recvbuf, root, v.comm->rank == root);
}

/* In place the input stands at the beginning of recvbuf, and so does the result. A rung in place would leave the rest of the
 * vector undefined, where programs expect it unchanged: a copy. */
static int
reduce_scatter(const Vector *v, const void *sendbuf, void *recvbuf)
{
    const bool in_place = sendbuf == MPI_IN_PLACE;
    const size_t mine = chunk_of(v->n, v->comm->size, v->comm->rank).count * element_size(v->type);
    Mirror x = mirror_open(in_place ? recvbuf : sendbuf, bytes_of(v), true), y = mirror_open(recvbuf, mine, false);
    void *copy = NULL;
    if (in_place) {
        copy = array_create(v->n, element_size(v->type));
        collective_copy(x.host, copy, v->n, v->type);
    }
    dropin_run(COLLECTIVE_REDUCE_SCATTER, v->rung, v->comm, copy ? copy : x.host, y.host, v->n, v->type, v->op, 0);
    array_free(copy);
    mirror_close(&x, false);
    mirror_close(&y, true);
    return MPI_SUCCESS;
}

/* The sum of the counts, if each is that of its chunk and none is 0: a rank that gets nothing does not wait. */
static bool
are_chunks(const int counts[], int p, size_t *n)
{
    *n = 0;
    for (int i = 0; i < p; i++) {
        if (counts[i] <= 0)
            return false;
        *n += (size_t)counts[i];
    }
    for (int i = 0; i < p; i++)
        if ((size_t)counts[i] != chunk_of(*n, p, i).count)
            return false;
    return p > 0;
}

int
MPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm mpi)
{
    const CollectiveKind kind = COLLECTIVE_REDUCE_SCATTER;
    size_t n;
    Vector v;
    if (recvcounts == NULL || !are_chunks(recvcounts, dropin_size(mpi), &n) ||
        !vector_of(&v, kind, mpi, n, datatype, op) || !are_buffers(sendbuf, recvbuf, n))
        return dropin_left(kind, PMPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, mpi));
    return reduce_scatter(&v, sendbuf, recvbuf);
}

int
MPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm mpi)
{
    const CollectiveKind kind = COLLECTIVE_REDUCE_SCATTER;
    const int p = dropin_size(mpi);
    Vector v;
    if (p == 0 || recvcount < 0 || !vector_of(&v, kind, mpi, (size_t)recvcount * (size_t)p, datatype, op) ||
        !are_buffers(sendbuf, recvbuf, v.n))
        return dropin_left(kind, PMPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, mpi));
    return reduce_scatter(&v, sendbuf, recvbuf);
}
