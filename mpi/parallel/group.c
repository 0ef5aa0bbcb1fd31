/* The process group of a training (nn/group.h), by the messages and collectives of mpi/. SPDX-License-Identifier: MIT */
#include "core/checked_mpi.h"
#include "mpi/parallel/parallel.h"
#include "mpi/point.h"
#include <unistd.h>

/* Where a sentence comes from: "rank 3", or "rank 3 on node7" where there are several machines. */
static void
add_rank(const Comm *comm, Error *error)
{
    char host[128] = "";
    if (comm->nodes > 1)
        gethostname(host, sizeof(host) - 1);
    const Error said = *error;
    error_set(error, "rank %d%s%s: %s", comm->rank, host[0] ? " on " : "", host, said.text);
}

int
parallel_first_failed(const Comm *comm, bool good, Error *error)
{
    int first = good ? comm->size : comm->rank;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm->mpi));
    if (first == comm->size)
        return -1;
    if (comm->rank == first && first != 0)
        add_rank(comm, error);
    CHECK_MPI(MPI_Bcast(error->text, sizeof(error->text), MPI_CHAR, first, comm->mpi));
    return first;
}

static void
sum(void *context, double *values, size_t n)
{
    const Parallel *parallel = context;
    parallel->options.collectives->all_reduce(parallel->comm, values, values, n, ELEMENT_DOUBLE, REDUCTION_SUM);
}

static void
least(void *context, int *values, size_t n)
{
    const Parallel *parallel = context;
    parallel->options.collectives->all_reduce(parallel->comm, values, values, n, ELEMENT_INT32, REDUCTION_MIN);
}

static bool
agree(void *context, bool good, Error *error)
{
    return parallel_first_failed(((const Parallel *)context)->comm, good, error) < 0;
}

static void
send(void *context, int to, const void *bytes, size_t n)
{
    point_send(((const Parallel *)context)->comm, to, bytes, n, ELEMENT_BYTE);
}

static void
receive(void *context, int from, void *bytes, size_t n)
{
    point_receive(((const Parallel *)context)->comm, from, bytes, n, ELEMENT_BYTE);
}

ProcessGroup
parallel_group(Parallel *parallel)
{
    return (ProcessGroup){
        .context = parallel,
        .rank = parallel->comm->rank,
        .size = parallel->comm->size,
        .sum = sum,
        .least = least,
        .agree = agree,
        .send = send,
        .receive = receive,
    };
}
