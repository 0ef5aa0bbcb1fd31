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
    comm->mpi = comm->messages = mpi;
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

/* From the leader of each rank's node, in node_of: its smallest rank. */
static void
place_ranks(Comm *comm)
{
    int nodes = 0;
    comm->ring = ARRAY(int, (size_t)comm->size);
    for (int rank = 0; rank < comm->size; rank++) {
        const int leader = comm->node_of[rank];
        comm->node_of[rank] = leader == rank ? nodes++ : comm->node_of[leader];
    }
    ring_order(comm->node_of, comm->size, comm->ring);
    while (comm->ring[comm->ring_place] != comm->rank)
        comm->ring_place++;
}

static void
ask_for_places(Comm *comm)
{
    if (comm->nodes == 1)
        return;
    int leader = comm->rank;
    comm->node_of = ARRAY(int, (size_t)comm->size);
    CHECK_MPI(MPI_Bcast(&leader, 1, MPI_INT, 0, comm->node->mpi));
    CHECK_MPI(MPI_Allgather(&leader, 1, MPI_INT, comm->node_of, 1, MPI_INT, comm->mpi));
    place_ranks(comm);
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
    ask_for_places(comm);
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

/* ---- borrowed ---------------------------------------------------------------------------------------------------------- */

/* Which ranks a sub-communicator has: all of one node, or those at one place of their nodes. */
typedef bool Member(const Borrowed *whole, const int *place, int i);

static bool
is_beside_me(const Borrowed *whole, const int *place, int i)
{
    (void)place;
    return whole->node[i] == whole->node[whole->rank];
}

static bool
is_at_my_place(const Borrowed *whole, const int *place, int i)
{
    return place[i] == place[whole->rank];
}

static bool
is_there(const Borrowed *whole, const int *place, int i)
{
    (void)whole, (void)place, (void)i;
    return true;
}

static Comm *
borrow(const Borrowed *whole, const int *place, Member *is_member, int tag)
{
    Comm *comm = ARRAY(Comm, 1);
    comm->mpi = MPI_COMM_NULL;
    comm->messages = whole->messages;
    comm->tag = whole->tag + tag;
    comm->at = ARRAY(int, (size_t)whole->size);
    for (int i = 0; i < whole->size; i++) {
        if (!is_member(whole, place, i))
            continue;
        if (i == whole->rank)
            comm->rank = comm->size;
        comm->at[comm->size++] = whole->at[i];
    }
    return comm;
}

/* place[i]: how many ranks before i are in its node. */
static void
find_places(Comm *comm, const Borrowed *borrowed, int *place)
{
    int *ranks = ARRAY(int, (size_t)borrowed->nodes), *leader = ARRAY(int, (size_t)borrowed->nodes);
    comm->node_of = ARRAY(int, (size_t)comm->size);
    for (int i = 0; i < comm->size; i++) {
        const int node = borrowed->node[i];
        leader[node] = ranks[node] == 0 ? i : leader[node];
        comm->node_of[i] = leader[node];
        place[i] = ranks[node]++;
    }
    comm->node_smallest = comm->size;
    for (int i = 0; i < borrowed->nodes; i++) {
        comm->nodes += ranks[i] > 0;
        if (ranks[i] > 0 && ranks[i] < comm->node_smallest)
            comm->node_smallest = ranks[i];
        if (ranks[i] > comm->node_largest)
            comm->node_largest = ranks[i];
    }
    array_free(leader);
    array_free(ranks);
    if (comm->nodes > 1) {
        place_ranks(comm);
        return;
    }
    array_free(comm->node_of);
    comm->node_of = NULL;
}

Comm *
comm_borrow(const Borrowed *borrowed)
{
    int *place = ARRAY(int, (size_t)borrowed->size);
    Comm *comm = borrow(borrowed, place, is_there, 0);
    comm->mpi = borrowed->mpi;
    comm->pool = borrowed->pool;
    find_places(comm, borrowed, place);
    comm->node = borrow(borrowed, place, is_beside_me, 1);
    comm->across = borrow(borrowed, place, is_at_my_place, 2);
    array_free(place);
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
    array_free(comm->node_of);
    array_free(comm->ring);
    if (comm->at == NULL)
        CHECK_MPI(MPI_Comm_free(&comm->mpi));
    array_free(comm->at);
    array_free(comm);
}

/* ---- polling ----------------------------------------------------------------------------------------------------------- */

void
comm_poll(Comm *comm, CommYield *yield, void *context)
{
    Comm *const all[] = {comm, comm->node, comm->across};
    for (int i = 0; i < 3; i++)
        if (all[i] != NULL) {
            all[i]->yield_context = context;
            all[i]->yield = yield;
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
