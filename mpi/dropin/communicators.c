/* One Comm for each communicator of the program, kept as an attribute of it: MPI tells us when it is freed.
 *
 *     MPI_Comm of the program --attribute--> Guest --> Comm: its ranks, and a tag of its own on world.messages
 *
 * No communicator is created for it, nothing waits when it is freed, and it is made in a call in which every rank must wait for all
 * others anyhow: a program that runs on the MPI library alone runs here, too, in whatever order it calls and frees.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked_mpi.h"
#include "mpi/dropin/internal.h"
#include "mpi/window_pool.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

typedef struct Guest {
    MPI_Comm mpi; /* the program's */
    Comm *comm;   /* NULL: left to the library */
    struct Guest *next;
} Guest;

/* Global, because the interface has no place for them. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of the list; never held while MPI is called */
static Guest *guests;
static atomic_int made; /* here, so far */
static int guest_key = MPI_KEYVAL_INVALID;
static atomic_bool started;
static World world;

/* A thread mostly calls again on the communicator it called on last. A freed one's handle may be given to a new one: whenever
 * one is freed, all threads forget. */
static atomic_uint frees;
static _Thread_local struct {
    MPI_Comm mpi;
    Comm *comm; /* NULL: nothing is remembered */
    unsigned frees;
} last;

static void
list_add(Guest *guest)
{
    pthread_mutex_lock(&mutex);
    guest->next = guests;
    guests = guest;
    pthread_mutex_unlock(&mutex);
}

static void
list_remove(Guest *guest)
{
    pthread_mutex_lock(&mutex);
    Guest **link = &guests;
    while (*link != guest)
        link = &(*link)->next;
    *link = guest->next;
    pthread_mutex_unlock(&mutex);
}

/* This rank frees its communicator. The others may do so much later, or still be in its last call. */
static int
guest_free(MPI_Comm mpi, int key, void *attribute, void *extra)
{
    (void)mpi, (void)key, (void)extra;
    Guest *guest = attribute;
    atomic_fetch_add(&frees, 1);
    list_remove(guest);
    comm_free(guest->comm);
    array_free(guest);
    return MPI_SUCCESS;
}

void
communicators_start(const World *at)
{
    world = *at;
    CHECK_MPI(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, guest_free, &guest_key, NULL));
    atomic_store(&started, true);
}

void
communicators_end(void)
{
    if (!atomic_exchange(&started, false))
        return;
    while (guests != NULL)
        CHECK_MPI(PMPI_Comm_delete_attr(guests->mpi, guest_key));
    CHECK_MPI(PMPI_Comm_free_keyval(&guest_key));
}

/* A number that is the same on all ranks of this communicator, and no other's, ever: each rank proposes one that nobody ever
 * proposes again, and the highest is taken. */
static int64_t
agree_on_number(MPI_Comm mpi)
{
    int64_t number = (int64_t)atomic_fetch_add(&made, 1) * world.size + world.rank;
    CHECK_MPI(PMPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_MAX, mpi));
    return number;
}

/* at[i]: rank i of mpi in MPI_COMM_WORLD. False if one is not there, but was spawned or connected: then no rank finds all. */
static bool
find_ranks(MPI_Comm mpi, int size, int *at)
{
    MPI_Group group;
    int *rank = ARRAY(int, (size_t)size);
    bool all = true;
    for (int i = 0; i < size; i++)
        rank[i] = i;
    CHECK_MPI(PMPI_Comm_group(mpi, &group));
    CHECK_MPI(PMPI_Group_translate_ranks(group, size, rank, world.group, at));
    CHECK_MPI(PMPI_Group_free(&group));
    for (int i = 0; i < size; i++)
        all = all && at[i] != MPI_UNDEFINED;
    array_free(rank);
    return all;
}

/* The nodes of the ranks; returns how many numbers there are. */
static int
find_nodes(int size, const int *at, int *node)
{
    int nodes;
    const int per_node = choice_nodes(), *machine = window_pool_nodes(world.pool, &nodes);
    for (int i = 0; i < size; i++)
        node[i] = per_node > 0 ? i / per_node : machine[at[i]];
    return per_node > 0 ? (size - 1) / per_node + 1 : nodes;
}

/* NULL: left to the library, because of its ranks, or because no tags are left. */
static Comm *
borrow(MPI_Comm mpi, int size)
{
    int *at = ARRAY(int, (size_t)size), *node = ARRAY(int, (size_t)size);
    Comm *comm = NULL;
    if (find_ranks(mpi, size, at)) {
        const int64_t number = agree_on_number(mpi);
        Borrowed borrowed = {
            .mpi = mpi, .messages = world.messages, .size = size, .at = at, .node = node, .pool = world.pool};
        borrowed.nodes = find_nodes(size, at, node);
        CHECK_MPI(PMPI_Comm_rank(mpi, &borrowed.rank));
        if (number < world.tags / COMM_TAGS) {
            borrowed.tag = (int)number * COMM_TAGS;
            comm = comm_borrow(&borrowed);
        }
    }
    array_free(at);
    array_free(node);
    return comm;
}

static Guest *
guest_create(MPI_Comm mpi, int size)
{
    Guest *guest = ARRAY(Guest, 1);
    guest->mpi = mpi;
    guest->comm = borrow(mpi, size);
    list_add(guest);
    CHECK_MPI(PMPI_Comm_set_attr(mpi, guest_key, guest));
    return guest;
}

/* An inter-communicator has no ranks 0 .. p-1; one rank alone has nothing to do. */
int
dropin_size(MPI_Comm mpi)
{
    int between = 0, size = 0;
    if (!atomic_load(&started) || mpi == MPI_COMM_NULL)
        return 0;
    if (PMPI_Comm_test_inter(mpi, &between) != MPI_SUCCESS || between || PMPI_Comm_size(mpi, &size) != MPI_SUCCESS)
        return 0;
    return size > 1 ? size : 0;
}

static Comm *
find(MPI_Comm mpi, bool all_wait)
{
    int found = 0;
    if (!atomic_load(&started) || mpi == MPI_COMM_NULL)
        return NULL;
    const unsigned now = atomic_load(&frees);
    Guest *guest = NULL;
    if (PMPI_Comm_get_attr(mpi, guest_key, &guest, &found) != MPI_SUCCESS)
        return NULL;
    if (!found) {
        const int size = all_wait ? dropin_size(mpi) : 0;
        if (size == 0)
            return NULL;
        guest = guest_create(mpi, size);
    }
    last.mpi = mpi;
    last.comm = guest->comm;
    last.frees = now;
    return guest->comm;
}

MPI_Comm
dropin_quiet(void)
{
    return atomic_load(&started) ? world.messages : MPI_COMM_NULL;
}

Comm *
dropin_comm(MPI_Comm mpi, bool all_wait)
{
    const bool known = last.comm != NULL && last.mpi == mpi && last.frees == atomic_load(&frees);
    return known ? last.comm : find(mpi, all_wait);
}
