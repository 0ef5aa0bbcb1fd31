/* Has a word been written before it is read? Do two threads race for it?
 *
 * A race: two threads use the same bytes, one of them writes, and nothing orders the two accesses. The result then depends
 * on which comes first, and on a GPU that changes from run to run. It need not show: the emulator runs threads one after the
 * other, and every order that it happens to choose gives some result. So the detector does not look at results. It asks of
 * each pair of accesses whether one *happens before* the other (L. Lamport, "Time, Clocks, and the Ordering of Events", CACM
 * 21(7), 1978):
 *
 *     thread 0          thread 1
 *     s[0] = a                              1. two accesses of one thread are ordered;
 *     __syncthreads()  __syncthreads()      2. what a thread did before a barrier comes before what any thread does after it;
 *                       b = s[0]            3. order is transitive. Nothing else orders,
 *                                         but a fence and an atomic between blocks: checks_fence.cpp.
 *
 * To decide it later, each access is stamped with a clock. Here one clock serves all: it ticks at each barrier, of a block or of a
 * warp, so an epoch is the time between two ticks. An access with stamp c, by another thread of the block, happens before now if
 *
 *     c < barrier_clock            the block has met at a barrier since; or
 *     c < knows[me][its lane]      same warp: this thread has synchronised with that lane since, directly or through others.
 *
 * knows[t] is a vector clock (F. Mattern 1988, C. Fidge 1988) of 32 entries: entry l says up to when thread t knows what lane l of
 * its warp did. Lanes that meet at a __syncwarp take the maximum of what they know, entry by entry. A barrier of the whole block
 * needs one number.
 *
 * For each word of memory a cell remembers the last write, one atomic access and two reads. The two reads suffice: whoever
 * writes without order races with one of them (as in FastTrack, C. Flanagan and S. Freund, PLDI 2009, which keeps the last write
 * as an epoch too). Atomic accesses do not race with each other.
 *
 * What it may miss: a race of numbers smaller than a word whose neighbour in the word was used in between; a third reader, where
 * barriers of subsets of a warp order the two that are kept before the writer.
 * SPDX-License-Identifier: MIT */
#include "gpu/emulator/checks.h"
#include <algorithm>
#include <string.h>
#include <vector>

dim3 running_grid, running_block;

static uint32_t now = 1;       /* the clock */
static uint32_t barrier_clock; /* the block's last barrier, or its beginning */
static uint32_t running_index; /* of the block, in the grid */
static uint32_t knows[EMULATOR_MAX_THREADS][EMULATOR_WARP];

/* A read of a word that had not been written yet. If another thread writes it later and the two race, the race is the mistake, and
 * the doubt is dropped. */
struct Doubt {
    const Cell *cell;
    Running running;
    Sighting sighting;
};
static std::vector<Doubt>
    doubts[2]; /* of device memory: until the launch ends; of shared memory: until the next barrier */
enum { MOST_DOUBTS = 4096 };

/* ---- does it happen before? -------------------------------------------------------------------------- */

static inline bool
is_mine(const Stamp *stamp)
{
    return stamp->thread == emulator_thread->index && stamp->block == running_index;
}

static bool
happens_before(const Shadow *shadow, const Stamp *stamp)
{
    if (stamp->clock < shadow->since || is_mine(stamp))
        return true;
    if (stamp->block != running_index)
        return fence_orders(stamp);
    return stamp->clock < barrier_clock ||
           (stamp->thread / EMULATOR_WARP == emulator_thread->warp &&
            stamp->clock < knows[emulator_thread->index][stamp->thread % EMULATOR_WARP]);
}

static void
report_race(const Access *access, const Stamp *other, bool other_writes)
{
    const bool blocks = other->block != running_index;
    const FindingKind kind = blocks ? FINDING_RACE_OF_BLOCKS : FINDING_RACE_IN_BLOCK;
    if (finding_repeats(kind, access->pc, other->pc))
        return;
    const bool same_warp = !blocks && other->thread / EMULATOR_WARP == emulator_thread->warp;
    Sighting sighting = sighting_of(kind, access);
    sighting.race = true;
    sighting.other = *other;
    sighting.other_writes = other_writes;
    sighting.text = std::string(access->kind == ACCESS_READ ? "reads " : "writes ") +
                    memory_text(access->address, &sighting.allocated);
    if (blocks)
        sighting.advice = "blocks of one launch run in any order: let each write its own place, use atomics (a "
                          "__threadfence() before an "
                          "atomic orders what stands before it), or launch twice";
    else
        sighting.advice = same_warp
                              ? "nothing orders the lanes of a warp: put a __syncwarp() or __syncthreads() between"
                              : "nothing orders them: put a __syncthreads() between";
    finding_add(&sighting);
}

static void
drop_doubts(std::vector<Doubt> *list, const Cell *cell)
{
    list->erase(std::remove_if(list->begin(), list->end(), [=](const Doubt &it) { return it.cell == cell; }),
                list->end());
}

static inline void
check_against(const Shadow *shadow, const Access *access, uint8_t bytes, const Cell *cell, const Stamp *other)
{
    if (other->clock < shadow->since || !(other->bytes & bytes) || happens_before(shadow, other))
        return;
    const bool other_writes = other == &cell->write || other == &cell->atomic;
    report_race(access, other, other_writes);
    if (!other_writes)
        drop_doubts(&doubts[shadow->shared], cell);
}

/* How far apart two threads are: 0 the same, 1 in a warp, 2 in a block, 3 in different blocks. */
static int
distance(const Stamp *a, const Stamp *b)
{
    if (a->block != b->block)
        return 3;
    return a->thread == b->thread ? 0 : a->thread / EMULATOR_WARP == b->thread / EMULATOR_WARP ? 1 : 2;
}

/* Remembers a read. A reader whom the new one follows is replaced; else the two that are kept stand as far apart as can be, so
 * that a later barrier of one warp does not order both before a writer. */
static void
remember_read(const Shadow *shadow, Cell *cell, const Stamp *mine)
{
    for (int i = 0; i < 2; i++) {
        Stamp *read = &cell->read[i];
        if (is_mine(read) && read->clock == mine->clock) {
            read->bytes |= mine->bytes;
            read->pc = mine->pc;
            return;
        }
    }
    for (int i = 0; i < 2; i++) {
        if (happens_before(shadow, &cell->read[i])) {
            cell->read[i] = *mine;
            return;
        }
    }
    if (distance(&cell->read[0], mine) > distance(&cell->read[0], &cell->read[1]))
        cell->read[1] = *mine;
}

/* ---- one access ------------------------------------------------------------------------------------- */

static void
doubt(Shadow *shadow, const Access *access, Cell *cell)
{
    std::vector<Doubt> *list = &doubts[shadow->shared];
    if (list->size() >= MOST_DOUBTS || finding_repeats(FINDING_UNINITIALISED, access->pc, 0))
        return;
    Sighting sighting = sighting_of(FINDING_UNINITIALISED, access);
    sighting.text = "reads " + memory_text(access->address, &sighting.allocated) + ", which is not initialised; " +
                    (shadow->shared ? "let the threads fill it first, also at the edges"
                                    : "fill it with cudaMemset or cudaMemcpy, or let a kernel write it first");
    list->push_back(Doubt{cell, finding_running(emulator_thread), sighting});
}

static void
settle_doubts(std::vector<Doubt> *list)
{
    for (const Doubt &it : *list)
        if (!finding_repeats(FINDING_UNINITIALISED, it.sighting.pc, 0))
            finding_add_of(&it.running, &it.sighting);
    list->clear();
}

static inline void
check_word(Shadow *shadow, const Access *access, size_t index, uint8_t bytes)
{
    Cell *cell = &shadow->cells[index];
    uint8_t *state = &shadow->state[index];
    Stamp mine = {now, running_index, code_offset(access->pc), (uint16_t)emulator_thread->index, bytes};
    check_against(shadow, access, bytes, cell, &cell->write);
    if (access->kind != ACCESS_ATOMIC)
        check_against(shadow, access, bytes, cell, &cell->atomic);
    if (access->kind != ACCESS_WRITE && (*state & bytes) != bytes)
        doubt(shadow, access, cell);
    if (access->kind == ACCESS_READ) {
        remember_read(shadow, cell, &mine);
        return;
    }
    check_against(shadow, access, bytes, cell, &cell->read[0]);
    check_against(shadow, access, bytes, cell, &cell->read[1]);
    *state |= bytes;
    if (access->kind == ACCESS_WRITE)
        cell->write = mine;
    else if (happens_before(shadow, &cell->atomic))
        cell->atomic = mine;
}

bool
check_words(Shadow *shadow, const Access *access)
{
    const uintptr_t end = access->address + access->bytes;
    for (uintptr_t word = access->address / 4 * 4; word < end; word += 4) {
        const size_t index = (word - shadow->begin) / 4;
        const uint8_t bytes = bytes_within(word, access->address, end);
        const uint8_t usable = (uint8_t)(bytes << 4);
        if ((shadow->state[index] & usable) != usable) {
            place_outside(shadow, access, word);
            return false;
        }
        check_word(shadow, access, index, bytes);
    }
    if (access->kind == ACCESS_ATOMIC && !shadow->shared)
        fence_atomic(access->address, emulator_thread->index);
    return true;
}

/* ---- what orders -------------------------------------------------------------------------------------- */

void
check_launch_begin(const Launch *launch)
{
    running_grid = launch->grid;
    running_block = launch->block;
    shadow_device.since = ++now;
    fence_launch_begin();
}

void
check_launch_end()
{
    settle_doubts(&doubts[0]);
    doubts[1].clear(); /* of a block that was stopped */
    now++;
}

void
check_block_begin(uint3 block)
{
    running_index = linear(block, running_grid);
    barrier_clock = shadow_shared.since = ++now;
    fence_block_begin(running_index);
}

void
check_block_end()
{
    settle_doubts(&doubts[1]);
}

void
check_barrier()
{
    settle_doubts(&doubts[1]);
    barrier_clock = ++now;
}

void
check_warp_barrier(int warp, unsigned mask)
{
    uint32_t together[EMULATOR_WARP] = {0};
    now++;
    for (int lane = 0; lane < EMULATOR_WARP; lane++)
        for (int of = 0; of < EMULATOR_WARP && (mask >> lane & 1); of++)
            together[of] = std::max(together[of], knows[warp * EMULATOR_WARP + lane][of]);
    for (int lane = 0; lane < EMULATOR_WARP; lane++)
        if (mask >> lane & 1)
            together[lane] = now;
    for (int lane = 0; lane < EMULATOR_WARP; lane++)
        if (mask >> lane & 1)
            memcpy(knows[warp * EMULATOR_WARP + lane], together, sizeof(together));
}

void
check_fence()
{
    fence_passed(emulator_thread->index, ++now, barrier_clock);
}

uint3
coordinates(uint32_t index, dim3 shape)
{
    return uint3{index % shape.x, index / shape.x % shape.y, index / shape.x / shape.y};
}

uint32_t
linear(uint3 at, dim3 shape)
{
    return at.x + shape.x * (at.y + shape.y * at.z);
}
