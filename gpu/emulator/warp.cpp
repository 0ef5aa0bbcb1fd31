/* What the lanes of a warp do together: shuffles, votes, __syncwarp, products of fragments. A lane contributes a value and waits;
 * the last one of the mask works out what each gets. SPDX-License-Identifier: MIT */
#include "gpu/emulator/block.h"
#include <stdio.h>

enum : unsigned { ALL_LANES = 0xffffffffu };

/* The fiber of a lane; NULL: the block has no such thread, or it has returned. */
static Fiber *
lane_fiber(Block *block, int warp, int lane)
{
    const int index = warp * EMULATOR_WARP + lane;
    if (index >= block->count || block->fibers[index].state == FIBER_DONE)
        return NULL;
    return &block->fibers[index];
}

/* The lanes of the mask that participate; false if one has not arrived. */
static bool
warp_complete(Block *block, const Fiber *fiber, unsigned *present)
{
    *present = 0;
    for (int lane = 0; lane < EMULATOR_WARP; lane++) {
        if (!(fiber->mask >> lane & 1))
            continue;
        const Fiber *other = lane_fiber(block, fiber->thread.warp, lane);
        if (other == NULL)
            continue;
        if (other->state != FIBER_IN_WARP || other->operation != fiber->operation || other->mask != fiber->mask)
            return false;
        *present |= 1u << lane;
    }
    return true;
}

static void
report_source(const Fiber *fiber)
{
    char text[160];
    snprintf(text, sizeof(text), "lane %d takes a value from lane %d, which %s: it is undefined", fiber->thread.lane,
             fiber->source, fiber->mask >> fiber->source & 1 ? "is not there" : "is not in the mask");
    EMULATOR_TELL(finding, FINDING_SHUFFLE, &fiber->thread, fiber->pc, NULL, 0, text);
}

/* What one lane gets. */
static uint64_t
lane_result(Block *block, Fiber *fiber, unsigned present)
{
    const int warp = fiber->thread.warp;
    uint64_t lanes = 0;
    switch (fiber->operation) {
    case WARP_VOTE:
    case WARP_MATCH:
        for (int lane = 0; lane < EMULATOR_WARP; lane++) {
            if (!(present >> lane & 1))
                continue;
            const uint64_t value = lane_fiber(block, warp, lane)->value;
            if (fiber->operation == WARP_VOTE ? value != 0 : value == fiber->value)
                lanes |= 1u << lane;
        }
        return lanes;
    case WARP_SYNC:
    case WARP_CALL:
        return 0;
    default:
        if (present >> fiber->source & 1)
            return lane_fiber(block, warp, fiber->source)->value;
        report_source(fiber);
        return UINT64_MAX; /* NaN, or -1: that it is wrong should show */
    }
}

static void
warp_call(Block *block, const Fiber *fiber)
{
    void *lanes[EMULATOR_WARP];
    for (int lane = 0; lane < EMULATOR_WARP; lane++) {
        const Fiber *other = lane_fiber(block, fiber->thread.warp, lane);
        lanes[lane] = other != NULL ? (void *)(uintptr_t)other->value : NULL;
    }
    (*(EmulatorTogether *)(uintptr_t)fiber->result)(lanes);
}

/* If all lanes of the fiber's mask have come, they go on. */
static void
warp_open(Block *block, Fiber *fiber)
{
    unsigned present;
    if (!warp_complete(block, fiber, &present))
        return;
    const int warp = fiber->thread.warp;
    const bool orders_memory = fiber->operation == WARP_SYNC;
    if (fiber->operation == WARP_CALL)
        warp_call(block, fiber);
    else
        EMULATOR_TELL(warp_barrier, warp, present, orders_memory, fiber->pc);
    for (int step = 0; step < EMULATOR_WARP; step++) {
        const int lane = block->work->order == ORDER_REVERSE ? EMULATOR_WARP - 1 - step : step;
        if (!(present >> lane & 1))
            continue;
        Fiber *other = lane_fiber(block, warp, lane);
        other->result = fiber->operation == WARP_VOTE ? (uint64_t)present << 32 : 0;
        other->result |= lane_result(block, other, present);
        other->thread.warp_epoch += orders_memory;
        block_wake(block, other);
    }
}

void
warp_left(Block *block, int warp)
{
    for (int lane = 0; lane < EMULATOR_WARP; lane++) {
        Fiber *fiber = lane_fiber(block, warp, lane);
        if (fiber != NULL && fiber->state == FIBER_IN_WARP)
            warp_open(block, fiber);
    }
}

/* Waits until all lanes of the mask do the same. */
static uint64_t
warp_wait(WarpOperation operation, unsigned mask, uint64_t value, int source, uint64_t function, void *pc)
{
    Fiber *fiber = fiber_running();
    if (!(mask >> fiber->thread.lane & 1)) {
        char text[96];
        snprintf(text, sizeof(text), "lane %d is not in its own mask, 0x%08x", fiber->thread.lane, mask);
        EMULATOR_TELL(finding, FINDING_SHUFFLE, &fiber->thread, pc, NULL, 0, text);
        mask |= 1u << fiber->thread.lane;
    }
    fiber->operation = operation;
    fiber->mask = mask;
    fiber->value = value;
    fiber->source = source;
    fiber->result = function;
    fiber->pc = pc;
    fiber->state = FIBER_IN_WARP;
    warp_open(emulator_block, fiber);
    block_yield();
    return fiber->result;
}

/* Which lane's value this lane gets. width: 32, 16, 8, 4, 2 or 1 lanes make a group. As the PTX manual says of shfl: a lane whose
 * source is beyond its group keeps its own value. */
static int
shuffle_source(WarpOperation operation, int lane, int argument, int width)
{
    const int first = lane & ~(width - 1), last = first + width - 1;
    int source = lane;
    switch (operation) {
    case WARP_SHUFFLE:
        return first + (argument & (width - 1));
    case WARP_SHUFFLE_UP:
        source = argument > lane ? -1 : lane - argument;
        return source < first ? lane : source;
    case WARP_SHUFFLE_DOWN:
        return argument > last - lane ? lane : lane + argument;
    default:
        source = (lane ^ argument) & (EMULATOR_WARP - 1);
        return source > last ? lane : source;
    }
}

uint64_t
emulator_shuffle(WarpOperation operation, unsigned mask, uint64_t value, int argument, int width)
{
    const int source = shuffle_source(operation, emulator_thread->lane, argument, width);
    return warp_wait(operation, mask, value, source, 0, __builtin_return_address(0));
}

void
emulator_warp_sync(unsigned mask)
{
    warp_wait(WARP_SYNC, mask, 0, 0, 0, __builtin_return_address(0));
}

EmulatorVotes
emulator_vote(unsigned mask, bool predicate)
{
    const uint64_t result = warp_wait(WARP_VOTE, mask, predicate, 0, 0, __builtin_return_address(0));
    return {(unsigned)(result >> 32), (unsigned)result};
}

unsigned
emulator_match(unsigned mask, uint64_t value)
{
    return (unsigned)warp_wait(WARP_MATCH, mask, value, 0, 0, __builtin_return_address(0));
}

void
emulator_together(EmulatorTogether *function, void *mine)
{
    warp_wait(WARP_CALL, ALL_LANES, (uintptr_t)mine, 0, (uintptr_t)function, __builtin_return_address(0));
}

/* The device answers with those lanes that happen to run together, which no kernel may rely on. Here it is those that have not
 * returned. */
unsigned
emulator_active_mask()
{
    unsigned mask = 0;
    for (int lane = 0; lane < EMULATOR_WARP; lane++)
        if (lane_fiber(emulator_block, emulator_thread->warp, lane) != NULL)
            mask |= 1u << lane;
    return mask;
}
