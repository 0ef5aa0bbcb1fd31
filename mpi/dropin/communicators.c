/* One Comm for each communicator of the program, kept as an attribute of it: MPI tells us when it is freed.
 *
 *     MPI_Comm of the program --attribute--> Guest --> Comm: communicators of our own
 *
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/checked_mpi.h"
#include "mpi/dropin/parts.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

typedef struct Guest {
    MPI_Comm mpi; /* the program's */
    Comm *comm;
    int64_t order; /* the same on all its ranks, and no other communicator's */
    struct Guest *next;
} Guest;

/* Global, because the interface has no place for them. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of the list; never held while MPI is called */
static Guest *guests;                                     /* the highest order first */
static atomic_int made;                                   /* here, so far */
static int guest_key, end_key;
static atomic_bool ended;

/* A thread mostly calls again on the communicator it called on last. A freed one's handle may be given to a new one: whenever one
 * is freed, everybody forgets. */
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
    Guest **link = &guests;
    while (*link != NULL && (*link)->order > guest->order)
        link = &(*link)->next;
    guest->next = *link;
    *link = guest;
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

/* The program frees its communicator: all its ranks do, so ours can be freed, too. */
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

/* MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF, while everything still works. All ranks free what they
 * share in one order, without a wait in a circle: by the numbers that they agreed on. Threads may have made communicators at the
 * same time, on some ranks this one first, on others that one. */
static int
library_end(MPI_Comm mpi, int key, void *attribute, void *extra)
{
    (void)mpi, (void)key, (void)attribute, (void)extra;
    choice_report();
    atomic_store(&ended, true);
    while (guests != NULL)
        CHECK_MPI(PMPI_Comm_delete_attr(guests->mpi, guest_key));
    return MPI_SUCCESS;
}

static void
library_start(void)
{
    choice_start();
    CHECK_MPI(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, guest_free, &guest_key, NULL));
    CHECK_MPI(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, library_end, &end_key, NULL));
    CHECK_MPI(PMPI_Comm_set_attr(MPI_COMM_SELF, end_key, NULL));
}

/* Ranks on different rungs would wait for messages that nobody sends. Returns the number of this communicator: each rank proposes
 * one that nobody ever proposes again, and the highest is taken. */
static int64_t
agree(MPI_Comm mpi)
{
    int rank, size;
    CHECK_MPI(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK_MPI(PMPI_Comm_size(MPI_COMM_WORLD, &size));
    const int64_t sum = choice_checksum(), mine = (int64_t)atomic_fetch_add(&made, 1) * size + rank;
    int64_t most[3] = {sum, -sum, mine};
    CHECK_MPI(PMPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_INT64_T, MPI_MAX, mpi));
    CHECK_THAT(most[0] == -most[1], "the variables RUNGS_.. are not the same on all ranks: mpirun -x NAME exports one");
    return most[2];
}

/* comm_create duplicates what it is given, and a duplicate takes the program's attributes along, whose copy functions would be
 * called. What MPI_Comm_split makes has none. */
static Guest *
guest_create(MPI_Comm mpi)
{
    int rank;
    MPI_Comm bare;
    CHECK_MPI(PMPI_Comm_rank(mpi, &rank));
    CHECK_MPI(PMPI_Comm_split(mpi, 0, rank, &bare));
    Guest *guest = ARRAY(Guest, 1);
    guest->order = agree(bare);
    guest->mpi = mpi;
    guest->comm = comm_create(bare, choice_nodes());
    CHECK_MPI(PMPI_Comm_free(&bare));
    list_add(guest);
    CHECK_MPI(PMPI_Comm_set_attr(mpi, guest_key, guest));
    return guest;
}

/* Between groups there is no rank 0 .. p-1; alone there is nothing to do. */
static bool
is_for_us(MPI_Comm mpi)
{
    int between = 0, size = 0;
    return PMPI_Comm_test_inter(mpi, &between) == MPI_SUCCESS && !between &&
           PMPI_Comm_size(mpi, &size) == MPI_SUCCESS && size > 1;
}

static Comm *
find(MPI_Comm mpi)
{
    int begun = 0, over = 0, found = 0;
    PMPI_Initialized(&begun);
    PMPI_Finalized(&over);
    if (!begun || over || atomic_load(&ended) || mpi == MPI_COMM_NULL)
        return NULL;
    pthread_once(&once, library_start);
    const unsigned now = atomic_load(&frees);
    Guest *guest = NULL;
    if (PMPI_Comm_get_attr(mpi, guest_key, &guest, &found) != MPI_SUCCESS)
        return NULL;
    if (!found) {
        if (!is_for_us(mpi))
            return NULL;
        guest = guest_create(mpi);
    }
    last.mpi = mpi;
    last.comm = guest->comm;
    last.frees = now;
    return guest->comm;
}

Comm *
dropin_comm(MPI_Comm mpi)
{
    const bool known = last.comm != NULL && last.mpi == mpi && last.frees == atomic_load(&frees);
    return known ? last.comm : find(mpi);
}
