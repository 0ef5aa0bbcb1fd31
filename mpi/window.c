/* SPDX-License-Identifier: MIT */
#include "mpi/window.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "mpi/cores.h"
#include "mpi/window_pool.h"
#include <sched.h>
#include <sys/mman.h>

/* C promises that an atomic without a lock works between processes that see it at different addresses (C11 7.17.5). */
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "flags between processes must need no lock");

/* A communicator that comm_create made knows its node; one of its parts is a node itself. */
static Comm *
node_of(Comm *comm)
{
    return comm->node ? comm->node : comm;
}

/* ---- segments ---------------------------------------------------------------------------------------------------------- */

static void
segment_free(WindowSegment *segment)
{
    shared_memory_free(&segment->memory);
    array_free(segment->bytes);
    array_free(segment->part);
    array_free(segment);
}

static WindowSegment *
segment_of(int ranks)
{
    WindowSegment *segment = ARRAY(WindowSegment, 1);
    segment->memory.file = -1;
    segment->bytes = ARRAY(size_t, (size_t)ranks);
    segment->part = ARRAY(char *, (size_t)ranks);
    return segment;
}

/* Each rank's part is on pages of its own, which that rank reserves (first touch). Returns where mine begins and how long all
 * of them are. */
static size_t
segment_lay_out(const WindowSegment *segment, const Comm *node, size_t *all)
{
    size_t mine = 0;
    *all = 0;
    for (int i = 0; i < node->size; i++) {
        if (i == node->rank)
            mine = *all;
        const size_t pages = shared_memory_pages(segment->bytes[i]);
        CHECK_THAT(pages >= segment->bytes[i] && *all + pages > *all, "vectors of more bytes than there are addresses");
        *all += pages;
    }
    return mine;
}

/* All ranks of the node must call. NULL if there is no such memory, on all of them. */
static WindowSegment *
segment_create(const Comm *node, size_t bytes)
{
    WindowSegment *segment = segment_of(node->size);
    size_t all;
    CHECK_MPI(MPI_Allgather(&bytes, sizeof(bytes), MPI_BYTE, segment->bytes, sizeof(bytes), MPI_BYTE, node->mpi));
    const size_t mine = segment_lay_out(segment, node, &all);
    if (!shared_memory_create(&segment->memory, node->mpi, all)) {
        segment_free(segment);
        return NULL;
    }
    char *part = segment->memory.begin;
    for (int i = 0; i < node->size; part += shared_memory_pages(segment->bytes[i++]))
        segment->part[i] = part;
#ifdef MADV_HUGEPAGE
    if (bytes >=
        (size_t)4 << 20) /* a wish: where the system gives them to shared memory, there are fewer pages to look up */
        madvise(segment->part[node->rank], bytes, MADV_HUGEPAGE);
#endif
    int ok = shared_memory_reserve(&segment->memory, mine, shared_memory_pages(bytes)), all_ok;
    CHECK_MPI(MPI_Allreduce(&ok, &all_ok, 1, MPI_INT, MPI_MIN, node->mpi));
    if (all_ok)
        return segment;
    segment_free(segment);
    return NULL;
}

/* All nodes or none have it. */
static WindowSegment *
segment_create_everywhere(Comm *comm, size_t bytes)
{
    WindowSegment *segment = segment_create(node_of(comm), bytes);
    int ok = segment != NULL, all_ok;
    CHECK_MPI(MPI_Allreduce(&ok, &all_ok, 1, MPI_INT, MPI_MIN, comm->mpi));
    if (ok && !all_ok)
        segment_free(segment);
    return all_ok ? segment : NULL;
}

void *
window_try_allocate(Comm *comm, size_t bytes, Error *error)
{
    if (!window_possible(comm, error))
        return NULL;
    NodeWindow *window = comm->window;
    WindowSegment *segment = segment_create_everywhere(comm, bytes);
    if (segment == NULL) {
        error_set(error,
                  "%zu bytes for each rank in memory that the ranks of a node share are more than there is; make "
                  "/dev/shm larger (docker run --shm-size), or the vectors shorter",
                  bytes);
        return NULL;
    }
    segment->id = ++window->allocated;
    segment->next = window->segments;
    window->segments = segment;
    return segment->part[window->rank];
}

void *
window_allocate(Comm *comm, size_t bytes)
{
    Error error;
    void *mine = window_try_allocate(comm, bytes, &error);
    CHECK_THAT(mine != NULL, "%s", error.text);
    return mine;
}

void
window_free(Comm *comm, void *mine)
{
    if (mine == NULL)
        return;
    NodeWindow *window = window_of(comm);
    for (WindowSegment **link = &window->segments; *link != NULL; link = &(*link)->next)
        if ((*link)->part[window->rank] == mine) {
            WindowSegment *segment = *link;
            *link = segment->next;
            segment_free(segment);
            return;
        }
    checked_fail(__FILE__, __LINE__, "window_free", "%p is not what window_allocate returned for this communicator",
                 mine);
}

WindowPlace
window_find(const NodeWindow *window, const void *mine, size_t bytes)
{
    for (const WindowSegment *segment = window->segments; segment != NULL; segment = segment->next) {
        /* Compared as numbers: C compares pointers only within one object. */
        const uintptr_t begin = (uintptr_t)segment->part[window->rank], at = (uintptr_t)mine;
        const size_t size = segment->bytes[window->rank];
        if (at >= begin && at - begin <= size && bytes <= size - (at - begin))
            return (WindowPlace){segment->id, at - begin};
    }
    return (WindowPlace){0, 0};
}

void *
window_at(const NodeWindow *window, int i, WindowPlace place)
{
    for (const WindowSegment *segment = window->segments; segment != NULL; segment = segment->next)
        if (segment->id == place.segment)
            return segment->part[i] + place.offset;
    return NULL;
}

/* ---- the window of a node ------------------------------------------------------------------------------------------------ */

/* All ranks of comm agree. */
static bool
can_share(Comm *comm)
{
    MPI_Comm machine;
    int ranks;
    CHECK_MPI(MPI_Comm_split_type(node_of(comm)->mpi, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine));
    CHECK_MPI(MPI_Comm_size(machine, &ranks));
    CHECK_MPI(MPI_Comm_free(&machine));
    int ok = ranks == node_of(comm)->size && ranks <= WINDOW_RANKS, all_ok;
    CHECK_MPI(MPI_Allreduce(&ok, &all_ok, 1, MPI_INT, MPI_MIN, comm->mpi));
    return all_ok;
}

enum { LOOKS = 2000 }; /* some 50 microseconds: longer than a rank that has a core makes others wait */

static NodeWindow *
window_create(Comm *comm)
{
    NodeWindow *window = ARRAY(NodeWindow, 1);
    window->comm = comm;
    window->rank = node_of(comm)->rank;
    window->ranks = node_of(comm)->size;
    window->several_nodes = comm->nodes > 1;
    window->patience = cores_are_shared(comm->mpi) ? 0 : LOOKS;
    if (can_share(comm))
        window->staging = segment_create_everywhere(comm, WINDOW_STAGING);
    return window;
}

/* A borrowed communicator: nothing is created, and one collective of the library informs all. */
static NodeWindow *
window_borrow(Comm *comm)
{
    const Comm *node = comm->node;
    NodeWindow *window = ARRAY(NodeWindow, 1);
    window->comm = comm;
    window->rank = node->rank;
    window->ranks = node->size;
    window->several_nodes = comm->nodes > 1;
    WindowSegment *segment = segment_of(node->size);
    uint64_t begin = 0;
    window->patience = window_pool_shares_cores(comm->pool) ? 0 : LOOKS;
    segment->slot = window_pool_take(comm->pool, comm, segment->part, &begin);
    if (segment->slot < 0) {
        segment_free(segment);
        return window;
    }
    for (int i = 0; i < node->size; i++)
        segment->bytes[i] = WINDOW_STAGING;
    for (int i = 0; i < WINDOW_COUNTERS; i++)
        window->counter[i] = begin; /* what the slot's flags were set to for others is less */
    window->staging = segment;
    return window;
}

/* The highest number that any flag of mine was set to. */
static uint64_t
highest_of(const NodeWindow *window)
{
    uint64_t highest = 0;
    for (int i = 0; i < WINDOW_COUNTERS; i++)
        if (window->counter[i] > highest)
            highest = window->counter[i];
    return highest;
}

bool
window_possible(Comm *comm, Error *reason)
{
    if (comm->window == NULL)
        comm->window = comm->pool != NULL ? window_borrow(comm) : window_create(comm);
    if (comm->window->staging == NULL)
        return error_set(reason,
                         "the ranks of a node are not on one machine, or /dev/shm is full; choose nodes as they are "
                         "(ranks_per_node 0), make it larger (docker run --shm-size), or take a rung that "
                         "sends messages");
    return true;
}

NodeWindow *
window_of(Comm *comm)
{
    Error error;
    if (comm->window == NULL || comm->window->staging == NULL)
        CHECK_THAT(window_possible(comm, &error), "%s", error.text);
    return comm->window;
}

void
window_free_all(Comm *comm)
{
    NodeWindow *window = comm->window;
    if (window == NULL)
        return;
    while (window->segments != NULL)
        window_free(comm, window->segments->part[window->rank]);
    if (window->staging != NULL && comm->pool != NULL)
        window_pool_give_back(comm->pool, comm->node, window->staging->slot, highest_of(window));
    if (window->staging != NULL)
        segment_free(window->staging);
    array_free(window);
    comm->window = NULL;
}
