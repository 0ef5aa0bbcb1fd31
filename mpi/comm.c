/* SPDX-License-Identifier: MIT */
#include "mpi/comm.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "mpi/window.h"
#include <time.h>

static Comm *
comm_of(MPI_Comm mpi)
{
    Comm *comm = ARRAY(Comm, 1);
    comm->mpi = comm->messages = mpi;
    atomic_init(&comm->hurry, true);
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

/* ---- borrowed ---------------------------------------------------------------------------------------------------------- */

/* What a part of the ranks is: all of one node, or those at one place of their nodes. */
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
    atomic_init(&comm->hurry, true);
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
    int *ranks = ARRAY(int, (size_t)borrowed->nodes);
    for (int i = 0; i < comm->size; i++)
        place[i] = ranks[borrowed->node[i]]++;
    comm->node_smallest = comm->size;
    for (int i = 0; i < borrowed->nodes; i++) {
        comm->nodes += ranks[i] > 0;
        if (ranks[i] > 0 && ranks[i] < comm->node_smallest)
            comm->node_smallest = ranks[i];
        if (ranks[i] > comm->node_largest)
            comm->node_largest = ranks[i];
    }
    array_free(ranks);
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
    if (comm->at == NULL)
        CHECK_MPI(MPI_Comm_free(&comm->mpi));
    array_free(comm->at);
    array_free(comm);
}

/* ---- naps -------------------------------------------------------------------------------------------------------------- */

void
comm_set_nap(Comm *comm, int microseconds)
{
    Comm *const all[] = {comm, comm->node, comm->across};
    for (int i = 0; i < 3; i++)
        if (all[i] != NULL)
            all[i]->nap = microseconds;
}

void
comm_hurry(Comm *comm, bool hurry)
{
    Comm *const all[] = {comm, comm->node, comm->across};
    for (int i = 0; i < 3; i++)
        if (all[i] != NULL)
            atomic_store_explicit(&all[i]->hurry, hurry, memory_order_relaxed);
}

/* A nap costs microseconds of the core, nearly twenty in a virtual machine, so it must become seldom; but a long message moves on
 * only when somebody looks, and what the system keeps of it meanwhile is not much. */
void
comm_take_nap(const Comm *comm, unsigned looks)
{
    enum { DOUBLINGS = 4 };
    const struct timespec pause = {0, (comm->nap << (looks < DOUBLINGS ? looks : DOUBLINGS)) * 1000L};
    nanosleep(&pause, NULL);
}
