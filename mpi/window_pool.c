/* SPDX-License-Identifier: MIT */
#include "mpi/window_pool.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "mpi/cores.h"
#include "mpi/window.h"

enum { SLOTS = 8 }; /* communicators on which a rank reduces, and that live at the same time */

/* One for each slot, in the shared memory itself. A place is that of a rank among those of the machine. */
typedef struct Slot {
    _Atomic uint32_t owner[WINDOW_RANKS]; /* of a place's part: 0, free; else 1 + the place of the owners' first rank */
    _Atomic uint32_t users[WINDOW_RANKS]; /* at the place of the first rank: how many have not given it back */
    _Atomic uint64_t highest[WINDOW_RANKS]; /* of the flags in a place's part */
    atomic_bool reserved[WINDOW_RANKS];     /* there are pages for it */
} Slot;

struct WindowPool {
    SharedMemory memory;
    int slots;        /* 0: there is no memory */
    int rank, ranks;  /* my place, how many there are */
    int *place;       /* [all ranks] -1: on another machine */
    int *node, nodes; /* [all ranks] the number of its machine; how many */
    bool cores_are_shared;
};

/* ---- creation ---------------------------------------------------------------------------------------------------------- */

static size_t
header_bytes(void)
{
    return shared_memory_pages(SLOTS * sizeof(Slot));
}

static Slot *
slot_of(const WindowPool *pool, int slot)
{
    return (Slot *)(void *)pool->memory.begin + slot;
}

static size_t
part_at(int place, int slot)
{
    return header_bytes() + ((size_t)place * SLOTS + (size_t)slot) * WINDOW_STAGING;
}

/* A machine's number is how many first ranks of machines come before its own. */
static void
find_machines(WindowPool *pool, MPI_Comm all, MPI_Comm machine)
{
    int rank, size, first;
    CHECK_MPI(MPI_Comm_rank(all, &rank));
    CHECK_MPI(MPI_Comm_size(all, &size));
    CHECK_MPI(MPI_Comm_rank(machine, &pool->rank));
    CHECK_MPI(MPI_Comm_size(machine, &pool->ranks));
    first = rank;
    CHECK_MPI(MPI_Bcast(&first, 1, MPI_INT, 0, machine));
    int *firsts = ARRAY(int, (size_t)size);
    CHECK_MPI(MPI_Allgather(&first, 1, MPI_INT, firsts, 1, MPI_INT, all));
    pool->place = ARRAY(int, (size_t)size);
    pool->node = ARRAY(int, (size_t)size);
    for (int i = 0, here = 0; i < size; i++) {
        pool->node[i] = firsts[i] == i ? pool->nodes++ : pool->node[firsts[i]];
        pool->place[i] = firsts[i] == first ? here++ : -1;
    }
    array_free(firsts);
}

static void
find_memory(WindowPool *pool, MPI_Comm machine)
{
    if (pool->ranks == 1 || pool->ranks > WINDOW_RANKS ||
        !shared_memory_create(&pool->memory, machine, part_at(pool->ranks, 0)))
        return;
    if (pool->rank == 0 && shared_memory_reserve(&pool->memory, 0, header_bytes())) {
        const size_t most = shared_memory_room(&pool->memory) / 2 / ((size_t)pool->ranks * WINDOW_STAGING);
        pool->slots = most < SLOTS ? (int)most : SLOTS;
    }
    CHECK_MPI(MPI_Bcast(&pool->slots, 1, MPI_INT, 0, machine));
}

WindowPool *
window_pool_create(MPI_Comm messages)
{
    WindowPool *pool = ARRAY(WindowPool, 1);
    MPI_Comm machine;
    pool->memory.file = -1;
    CHECK_MPI(MPI_Comm_split_type(messages, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine));
    find_machines(pool, messages, machine);
    find_memory(pool, machine);
    pool->cores_are_shared = cores_are_shared(machine);
    CHECK_MPI(MPI_Comm_free(&machine));
    return pool;
}

void
window_pool_free(WindowPool *pool)
{
    if (pool == NULL)
        return;
    shared_memory_free(&pool->memory);
    array_free(pool->place);
    array_free(pool->node);
    array_free(pool);
}

bool
window_pool_shares_cores(const WindowPool *pool)
{
    return pool->cores_are_shared;
}

const int *
window_pool_nodes(const WindowPool *pool, int *nodes)
{
    *nodes = pool->nodes;
    return pool->node;
}

/* ---- taking and giving back -------------------------------------------------------------------------------------------- */

static int
place_of(const WindowPool *pool, const Comm *node, int i)
{
    return pool->place[node->at[i]];
}

/* Opens the parts of the first `count` ranks of the node to others. */
static void
open_parts(const WindowPool *pool, const Comm *node, int slot, int count)
{
    for (int i = 0; i < count; i++) /* pairs with take_parts: what was done to the part is over */
        atomic_store_explicit(&slot_of(pool, slot)->owner[place_of(pool, node, i)], 0, memory_order_release);
}

/* All parts or none. Other communicators may be taking theirs at this moment. */
static bool
take_parts(const WindowPool *pool, const Comm *node, int slot)
{
    const uint32_t first = (uint32_t)place_of(pool, node, 0);
    for (int i = 0; i < node->size; i++) {
        uint32_t nobody = 0;
        if (!atomic_compare_exchange_strong(&slot_of(pool, slot)->owner[place_of(pool, node, i)], &nobody, first + 1)) {
            open_parts(pool, node, slot, i);
            return false;
        }
    }
    atomic_store(&slot_of(pool, slot)->users[first], (uint32_t)node->size);
    return true;
}

/* What the first rank of a node tells the others. */
typedef struct Taken {
    int64_t slot; /* -1: none; of no meaning from ranks that are not the first */
    uint64_t begin;
    int64_t unreserved; /* parts without pages */
} Taken;

static Taken
take(const WindowPool *pool, const Comm *node)
{
    Taken taken = {.slot = -1};
    for (int i = 0; i < node->size; i++)
        if (place_of(pool, node, i) < 0)
            return taken;
    int slot = 0;
    while (slot < pool->slots && !take_parts(pool, node, slot))
        slot++;
    if (slot == pool->slots)
        return taken;
    taken.slot = slot;
    for (int i = 0; i < node->size; i++) {
        const int place = place_of(pool, node, i);
        const uint64_t highest = atomic_load(&slot_of(pool, slot)->highest[place]);
        taken.begin = highest > taken.begin ? highest : taken.begin;
        taken.unreserved += !atomic_load(&slot_of(pool, slot)->reserved[place]);
    }
    return taken;
}

/* Of all nodes; mine is returned, with the sum of what is unreserved. Its slot is -1 if that of any node is. */
static Taken
hear(const Comm *comm, const Taken *mine)
{
    Taken *all = ARRAY(Taken, (size_t)comm->size), heard = {0};
    CHECK_MPI(MPI_Allgather(mine, sizeof(*mine), MPI_BYTE, all, sizeof(*mine), MPI_BYTE, comm->mpi));
    int64_t unreserved = 0;
    bool none = false;
    for (int i = 0; i < comm->size; i++) {
        if (comm->at[i] == comm->node->at[0])
            heard = all[i];
        unreserved += all[i].unreserved;
        none = none || all[i].slot < 0;
    }
    array_free(all);
    return (Taken){none ? -1 : heard.slot, heard.begin, unreserved};
}

/* All ranks of comm must call. */
static bool
reserve(const WindowPool *pool, const Comm *comm, int slot)
{
    atomic_bool *reserved = &slot_of(pool, slot)->reserved[pool->rank];
    int ok = atomic_load(reserved) || shared_memory_reserve(&pool->memory, part_at(pool->rank, slot), WINDOW_STAGING);
    atomic_store(reserved, ok);
    int all_ok;
    CHECK_MPI(MPI_Allreduce(&ok, &all_ok, 1, MPI_INT, MPI_MIN, comm->mpi));
    return all_ok;
}

int
window_pool_take(WindowPool *pool, const Comm *comm, char **part, uint64_t *begin)
{
    const Comm *node = comm->node;
    const bool first = node->rank == 0;
    const Taken mine = first ? take(pool, node) : (Taken){0}, taken = hear(comm, &mine);
    if (taken.slot < 0 || (taken.unreserved > 0 && !reserve(pool, comm, (int)taken.slot))) {
        if (first && mine.slot >= 0)
            open_parts(pool, node, (int)mine.slot, node->size);
        return -1;
    }
    for (int i = 0; i < node->size; i++)
        part[i] = pool->memory.begin + part_at(place_of(pool, node, i), (int)taken.slot);
    *begin = taken.begin;
    return (int)taken.slot;
}

void
window_pool_give_back(WindowPool *pool, const Comm *node, int slot, uint64_t highest)
{
    Slot *of = slot_of(pool, slot);
    atomic_store(&of->highest[place_of(pool, node, node->rank)], highest);
    if (atomic_fetch_sub(&of->users[place_of(pool, node, 0)], 1) == 1)
        open_parts(pool, node, slot, node->size);
}
