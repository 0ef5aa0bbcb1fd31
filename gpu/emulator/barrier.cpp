/* Barriers of a block, and threads that wait for ever. See execution.h. SPDX-License-Identifier: MIT */
#include "gpu/emulator/block.h"
#include <stdio.h>
#include <string.h>

const char *
place_text(const Thread *thread, char text[96])
{
    snprintf(text, 96, "block (%u,%u,%u), thread (%u,%u,%u)", thread->block.x, thread->block.y, thread->block.z,
             thread->thread.x, thread->thread.y, thread->thread.z);
    return text;
}

static bool
same_line(const Fiber *a, const Fiber *b)
{
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* Did all come, and to the same line? The device goes on in any case, so the plain library does too; but a kernel may not rely
 * on it: one half of a block may wait at another barrier than the other half. */
static void
report_divergence(Block *block, const Fiber *first)
{
    char text[256], place[96];
    for (int i = 0; i < block->count; i++) {
        const Fiber *other = &block->fibers[i];
        if (other->state == FIBER_DONE)
            snprintf(text, sizeof(text),
                     "%d threads wait at __syncthreads(), but %d had returned, the first of them %s", block->at_barrier,
                     block->finished, place_text(&other->thread, place));
        else if (!same_line(first, other))
            snprintf(text, sizeof(text), "threads meet from different lines: %s waits at %s:%d",
                     place_text(&other->thread, place), other->file, other->line);
        else
            continue;
        emulator_observer.finding(FINDING_DIVERGENT_BARRIER, &first->thread, NULL, first->file, first->line, text);
        return;
    }
}

/* If all threads that have not returned are at the barrier, they go on. */
static void
barrier_open(Block *block)
{
    if (block->at_barrier == 0 || block->at_barrier + block->finished < block->count)
        return;
    const Fiber *first = NULL;
    block->predicates = 0;
    for (int i = block->count - 1; i >= 0; i--) {
        if (block->fibers[i].state == FIBER_AT_BARRIER) {
            first = &block->fibers[i];
            block->predicates += first->predicate != 0;
        }
    }
    if (emulator_observer.finding)
        report_divergence(block, first);
    EMULATOR_TELL(barrier, first->file, first->line);
    block->arrived = block->at_barrier;
    block->at_barrier = 0;
    block->epochs++;
    for (int step = 0; step < block->count; step++) {
        Fiber *fiber = &block->fibers[block->work->order == ORDER_REVERSE ? block->count - 1 - step : step];
        if (fiber->state != FIBER_AT_BARRIER)
            continue;
        fiber->thread.block_epoch++;
        block_wake(block, fiber);
    }
}

EmulatorArrivals
emulator_barrier(const char *file, int line, int predicate)
{
    Block *block = emulator_block;
    Fiber *fiber = fiber_running();
    fiber->state = FIBER_AT_BARRIER;
    fiber->file = file;
    fiber->line = line;
    fiber->predicate = predicate;
    block->at_barrier++;
    barrier_open(block);
    block_yield();
    return {block->arrived, block->predicates};
}

void
barrier_left(Block *block)
{
    barrier_open(block);
}

/* ---- deadlock -------------------------------------------------------------------------------- */

static const char *const operation_names[] = {"__syncwarp",       "__shfl_sync",           "__shfl_up_sync",
                                              "__shfl_down_sync", "__shfl_xor_sync",       "a vote",
                                              "__match_sync",     "a product of fragments"};

static bool
waits_with(const Fiber *a, const Fiber *b)
{
    if (a->state != b->state)
        return false;
    return a->state == FIBER_AT_BARRIER ? same_line(a, b) : a->operation == b->operation && a->mask == b->mask;
}

/* "16 threads wait at 03_tile.cu:40, the first is block (0,0,0), thread (16,0,0)"; 0 characters if somebody before waits with
 * it */
static size_t
describe_group(const Block *block, int index, char *text, size_t size)
{
    const Fiber *fiber = &block->fibers[index];
    int threads = 0;
    for (int i = 0; i < block->count; i++) {
        if (!waits_with(&block->fibers[i], fiber))
            continue;
        if (i < index)
            return 0;
        threads++;
    }
    char place[96];
    place_text(&fiber->thread, place);
    int written;
    if (fiber->state == FIBER_AT_BARRIER)
        written =
            snprintf(text, size, "; %d at __syncthreads, %s:%d (first: %s)", threads, fiber->file, fiber->line, place);
    else
        written = snprintf(text, size, "; %d at %s with mask 0x%08x (first: %s)", threads,
                           operation_names[fiber->operation], fiber->mask, place);
    return (size_t)written < size ? (size_t)written : size - 1;
}

void
report_deadlock(Block *block)
{
    const Launch *launch = &block->work->launch;
    const Fiber *blamed = NULL;
    char text[1024];
    size_t used = (size_t)snprintf(text, sizeof(text), "%s, launched at %s:%d: threads wait for others that never come",
                                   launch->kernel, launch->file, launch->line);
    for (int i = 0; i < block->count && used + 200 < sizeof(text); i++) {
        const Fiber *fiber = &block->fibers[i];
        if (fiber->state == FIBER_DONE)
            continue;
        if (blamed == NULL)
            blamed = fiber;
        used += describe_group(block, i, text + used, sizeof(text) - used);
    }
    if (block->finished > 0)
        snprintf(text + used, sizeof(text) - used, "; %d have returned", block->finished);
    const bool at_barrier = blamed->state == FIBER_AT_BARRIER;
    EMULATOR_TELL(finding, FINDING_DEADLOCK, &blamed->thread, at_barrier ? NULL : blamed->pc,
                  at_barrier ? blamed->file : NULL, at_barrier ? blamed->line : 0, text);
    launch_failed(0, text);
}
