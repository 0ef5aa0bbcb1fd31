/* SPDX-License-Identifier: MIT */
#include "mpi/window.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "mpi/cores.h"
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

enum { WINDOW_PAGE = 4096 };

/* ---- segments ---------------------------------------------------------------------------------------------------------- */

static void
segment_free(WindowSegment *segment)
{
    CHECK_MPI(MPI_Win_unlock_all(segment->window));
    CHECK_MPI(MPI_Win_free(&segment->window));
    array_free(segment->bytes);
    array_free(segment->part);
    array_free(segment);
}

/* Where everybody's part is, from the first page of it that begins in it: MPI gives addresses that are good for its own numbers
 * only. Processes map memory page by page, so all of them see the page begin at the same place. */
static void
segment_find_parts(WindowSegment *segment, Comm *node, const char *mine, size_t bytes)
{
    const size_t own[2] = {bytes, (WINDOW_PAGE - (uintptr_t)mine % WINDOW_PAGE) % WINDOW_PAGE};
    size_t(*all)[2] = array_create((size_t)node->size, sizeof(own));
    CHECK_MPI(MPI_Allgather(own, sizeof(own), MPI_BYTE, all, sizeof(own), MPI_BYTE, node->mpi));
    segment->bytes = ARRAY(size_t, (size_t)node->size);
    segment->part = ARRAY(char *, (size_t)node->size);
    for (int i = 0; i < node->size; i++) {
        MPI_Aint allocated;
        int unit;
        char *begin;
        CHECK_MPI(MPI_Win_shared_query(segment->window, i, &allocated, &unit, &begin));
        segment->bytes[i] = all[i][0];
        segment->part[i] = begin + all[i][1];
        CHECK_THAT((uintptr_t)segment->part[i] % WINDOW_PAGE == 0,
                   "MPI shows the ranks parts of pages at different places");
    }
    array_free(all);
}

/* NULL if there is no such memory, on all ranks. */
static WindowSegment *
segment_create(Comm *node, size_t bytes)
{
    /* Each part on pages of its own, which lie in the memory of whoever touches them first. */
    MPI_Info info;
    CHECK_MPI(MPI_Info_create(&info));
    CHECK_MPI(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    WindowSegment *segment = ARRAY(WindowSegment, 1);
    char *begin;
    const MPI_Aint allocated = (MPI_Aint)(bytes + WINDOW_PAGE);
    const int code = MPI_Win_allocate_shared(allocated, 1, info, node->mpi, &begin, &segment->window);
    CHECK_MPI(MPI_Info_free(&info));
    int ok = code == MPI_SUCCESS, all_ok;
    CHECK_MPI(MPI_Allreduce(&ok, &all_ok, 1, MPI_INT, MPI_MIN, node->mpi));
    if (!all_ok) {
        array_free(segment);
        return NULL;
    }
    segment_find_parts(segment, node, begin, bytes);
    /* The epoch lasts as long as the window: loads and stores are all that we do with it. */
    CHECK_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, segment->window));
    char *mine = segment->part[node->rank];
#ifdef MADV_HUGEPAGE
    if (bytes >=
        (size_t)4 << 20) /* a wish: where the system gives them to shared memory, there are fewer pages to look up */
        madvise(mine, bytes, MADV_HUGEPAGE);
#endif
    memset(mine, 0, bytes);
    CHECK_MPI(MPI_Barrier(node->mpi)); /* nobody reads before it is zero */
    return segment;
}

void *
window_allocate(Comm *comm, size_t bytes)
{
    NodeWindow *window = window_of(comm);
    WindowSegment *segment = segment_create(node_of(comm), bytes);
    CHECK_THAT(segment != NULL, "no %zu bytes of memory that this node's ranks share; is /dev/shm full?", bytes);
    segment->id = ++window->allocated;
    segment->next = window->segments;
    window->segments = segment;
    return segment->part[window->rank];
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

static NodeWindow *
window_create(Comm *comm)
{
    enum { LOOKS = 2000 }; /* some 50 microseconds: longer than a rank that has a core keeps others waiting */
    NodeWindow *window = ARRAY(NodeWindow, 1);
    window->comm = comm;
    window->mpi = node_of(comm)->mpi;
    window->rank = node_of(comm)->rank;
    window->ranks = node_of(comm)->size;
    window->several_nodes = comm->nodes > 1;
    window->patience = cores_are_shared(comm->mpi) ? 0 : LOOKS;
    if (can_share(comm))
        window->staging = segment_create(node_of(comm), WINDOW_STAGING);
    int ok = window->staging != NULL, all_ok;
    CHECK_MPI(MPI_Allreduce(&ok, &all_ok, 1, MPI_INT, MPI_MIN, comm->mpi));
    if (ok && !all_ok) {
        segment_free(window->staging);
        window->staging = NULL;
    }
    return window;
}

bool
window_possible(Comm *comm, Error *reason)
{
    if (comm->window == NULL)
        comm->window = window_create(comm);
    if (comm->window->staging == NULL)
        return error_set(reason, "the ranks of a node are not on one machine, or it has no memory for them to share; "
                                 "choose nodes as they are (ranks_per_node 0), or a rung that sends messages");
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
    if (window->staging != NULL)
        segment_free(window->staging);
    array_free(window);
    comm->window = NULL;
}

/* ---- waiting --------------------------------------------------------------------------------------------------------------- */

static inline void
relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

const WindowWatch *window_watch; /* global, because there is one watchdog in a process */

static void
wait_a_little(const NodeWindow *window, unsigned looks)
{
    const bool polls = comm_polls(window->comm);
    if (looks < window->patience && !polls) {
        relax();
        return;
    }
    /* MPI moves a message on only while it is called, and the rank that we wait for may wait for one of ours: across the nodes in
     * this very call, or, whatever the nodes, for one that the program sends besides. */
    enum { SELDOM = 16 };
    if (polls || window->several_nodes || looks % SELDOM == SELDOM - 1) {
        int there;
        CHECK_MPI(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, window->mpi, &there, MPI_STATUS_IGNORE));
    }
    if (polls)
        window->comm->aside(window->comm->aside_context, looks);
    else
        sched_yield();
}

/* Whose part of the buffers the flag is in. */
static int
rank_of_flag(const NodeWindow *window, const _Atomic uint64_t *number)
{
    const uintptr_t at = (uintptr_t)number;
    for (int i = 0; i < window->ranks; i++)
        if (at >= (uintptr_t)window->staging->part[i] && at - (uintptr_t)window->staging->part[i] < WINDOW_STAGING)
            return i;
    return -1;
}

void
window_wait(const NodeWindow *window, const _Atomic uint64_t *number, uint64_t at_least)
{
    enum { SHORT = 1 << 14 }; /* looks: milliseconds */
    const WindowWatch *watch = NULL;
    for (unsigned looks = 0; atomic_load_explicit(number, memory_order_acquire) < at_least; looks++) {
        if (looks >= SHORT && watch == NULL && window_watch != NULL && !comm_naps(window->comm)) {
            watch = window_watch;
            watch->begin(window->mpi, rank_of_flag(window, number));
        }
        wait_a_little(window, looks);
    }
    if (watch != NULL)
        watch->end();
}
