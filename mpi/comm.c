/* SPDX-License-Identifier: MIT */
#include "mpi/comm.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "mpi/window.h"

static Comm *
comm_of(MPI_Comm mpi)
{
    Comm *comm = ARRAY(Comm, 1);
    comm->mpi = mpi;
    CHECK_MPI(MPI_Comm_set_errhandler(mpi, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Comm_rank(mpi, &comm->rank));
    CHECK_MPI(MPI_Comm_size(mpi, &comm->size));
    return comm;
}

static Comm *
split(const Comm *comm, int color)
{
    MPI_Comm part;
    CHECK_MPI(MPI_Comm_split(comm->mpi, color, comm->rank, &part));
    return comm_of(part);
}

static Comm *
split_node(const Comm *comm, int ranks_per_node)
{
    if (ranks_per_node > 0)
        return split(comm, comm->rank / ranks_per_node);
    MPI_Comm part;
    CHECK_MPI(MPI_Comm_split_type(comm->mpi, MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL, &part));
    return comm_of(part);
}

/* Every node has a rank at place 0, so those count the nodes. */
static void
count_nodes(Comm *comm)
{
    int leader = comm->node->rank == 0;
    CHECK_MPI(MPI_Allreduce(&leader, &comm->nodes, 1, MPI_INT, MPI_SUM, comm->mpi));
    CHECK_MPI(MPI_Allreduce(&comm->node->size, &comm->node_smallest, 1, MPI_INT, MPI_MIN, comm->mpi));
    CHECK_MPI(MPI_Allreduce(&comm->node->size, &comm->node_largest, 1, MPI_INT, MPI_MAX, comm->mpi));
}

Comm *
comm_create(MPI_Comm mpi, int ranks_per_node)
{
    MPI_Comm copy;
    CHECK_MPI(MPI_Comm_dup(mpi, &copy));
    Comm *comm = comm_of(copy);
    comm->node = split_node(comm, ranks_per_node);
    comm->across = split(comm, comm->node->rank);
    count_nodes(comm);
    return comm;
}

void
comm_free(Comm *comm)
{
    if (comm == NULL)
        return;
    window_free_all(comm);
    comm_free(comm->node);
    comm_free(comm->across);
    array_free(comm->model);
    CHECK_MPI(MPI_Comm_free(&comm->mpi));
    array_free(comm);
}

void
comm_poll(Comm *comm, CommAside *aside, void *context)
{
    Comm *const all[] = {comm, comm->node, comm->across};
    for (int i = 0; i < 3; i++)
        if (all[i] != NULL) {
            all[i]->aside_context = context;
            all[i]->aside = aside;
        }
}

void
comm_block(Comm *comm, bool block)
{
    Comm *const all[] = {comm, comm->node, comm->across};
    for (int i = 0; i < 3; i++)
        if (all[i] != NULL)
            atomic_store_explicit(&all[i]->blocks, block, memory_order_relaxed);
}
