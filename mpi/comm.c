/* SPDX-License-Identifier: MIT */
#include "mpi/comm.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "mpi/ring.h"
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
split_machine(const Comm *comm)
{
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

/* A node is known by its leader, its smallest rank. */
static void
place_ranks(Comm *comm)
{
    if (comm->nodes == 1)
        return;
    const size_t p = (size_t)comm->size;
    int leader = comm->rank, nodes = 0;
    comm->node_of = ARRAY(int, p);
    comm->ring = ARRAY(int, p);
    CHECK_MPI(MPI_Bcast(&leader, 1, MPI_INT, 0, comm->node->mpi));
    CHECK_MPI(MPI_Allgather(&leader, 1, MPI_INT, comm->node_of, 1, MPI_INT, comm->mpi));
    for (int rank = 0; rank < comm->size; rank++) {
        leader = comm->node_of[rank];
        comm->node_of[rank] = leader == rank ? nodes++ : comm->node_of[leader];
    }
    ring_order(comm->node_of, comm->size, comm->ring);
    while (comm->ring[comm->ring_place] != comm->rank)
        comm->ring_place++;
}

static Comm *
create(MPI_Comm mpi, int ranks_per_node, int node)
{
    MPI_Comm copy;
    CHECK_MPI(MPI_Comm_dup(mpi, &copy));
    Comm *comm = comm_of(copy);
    if (ranks_per_node > 0)
        node = comm->rank / ranks_per_node;
    comm->node = node < 0 ? split_machine(comm) : split(comm, node);
    comm->across = split(comm, comm->node->rank);
    count_nodes(comm);
    place_ranks(comm);
    return comm;
}

Comm *
comm_create(MPI_Comm mpi, int ranks_per_node)
{
    return create(mpi, ranks_per_node, -1);
}

Comm *
comm_create_on(MPI_Comm mpi, int node)
{
    return create(mpi, 0, node);
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
    array_free(comm->node_of);
    array_free(comm->ring);
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
