/* One block: its fibers run interleaved until all threads have returned. See execution.h. SPDX-License-Identifier: MIT */
#include "gpu/emulator/block.h"
#include <alloca.h>
#include <new>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__thread Thread *emulator_thread;
__thread Block *emulator_block;

Fiber *
fiber_running()
{
    return (Fiber *)emulator_thread;
}

uint3
emulator_thread_index()
{
    return emulator_thread->thread;
}

uint3
emulator_block_index()
{
    return emulator_thread->block;
}

dim3
emulator_block_size()
{
    return emulator_block->work->launch.block;
}

dim3
emulator_grid_size()
{
    return emulator_block->work->launch.grid;
}

/* ---- whose turn is it? ------------------------------------------------------------------------------- */

/* xorshift64* (Marsaglia; Vigna) */
static uint64_t
random_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dull;
}

void
block_wake(Block *block, Fiber *fiber)
{
    fiber->state = FIBER_READY;
    block->queue[block->tail++ % EMULATOR_MAX_THREADS] = fiber->thread.index;
}

/* NULL: none can run. */
static Fiber *
block_next(Block *block)
{
    if (block->head == block->tail)
        return NULL;
    int *first = &block->queue[block->head % EMULATOR_MAX_THREADS];
    if (block->work->order == ORDER_RANDOM) {
        const unsigned offset = random_next(&block->random) % (block->tail - block->head);
        int *chosen = &block->queue[(block->head + offset) % EMULATOR_MAX_THREADS];
        const int index = *chosen;
        *chosen = *first;
        *first = index;
    }
    block->head++;
    return &block->fibers[*first];
}

/* Which thread a step of a loop over all of them means: the last one first where the order is reversed. */
static int
in_order(const Block *block, int step)
{
    return block->work->order == ORDER_REVERSE ? block->count - 1 - step : step;
}

/* ---- fibers ------------------------------------------------------------------------------------------ */

static char *
stack_take(Block *block)
{
    char *stack;
    if (!block->stacks.empty()) {
        stack = block->stacks.back();
        block->stacks.pop_back();
    } else if ((stack = fiber_stack_create()) != NULL) {
        block->all_stacks.push_back(stack);
    } else {
        emulator_stop("no memory is left for the threads' stacks");
    }
    return stack;
}

static void
thread_begin(Fiber *fiber, char *stack)
{
    fiber->stack = stack;
    fiber->thread.stack_begin = stack;
    fiber->thread.stack_end = stack + FIBER_STACK_BYTES;
}

static void
thread_run(const Work *work)
{
    EMULATOR_TELL(thread_begin);
    /* The arguments are the thread's own. */
    void *copy = __builtin_alloca_with_align(work->closure_bytes, 512);
    memcpy(copy, work->closure, work->closure_bytes);
    work->call(copy);
    copies_forget(fiber_running());
    EMULATOR_TELL(thread_end);
}

/* What a fiber runs: a thread, and further ones that have not begun, on the same stack. */
static void
fiber_main()
{
    Block *block = emulator_block;
    for (;;) {
        Fiber *fiber = fiber_running();
        thread_run(block->work);
        fiber->state = FIBER_DONE;
        block->finished++;
        warp_left(block, fiber->thread.warp);
        barrier_left(block);

        char *stack = fiber->stack;
        fiber->stack = NULL;
        Fiber *next = block_next(block);
        if (next != NULL && next->stack == NULL) {
            thread_begin(next, stack);
            emulator_thread = &next->thread;
            continue;
        }
        /* Nobody writes to this stack before this fiber has left it. */
        block->stacks.push_back(stack);
        emulator_thread = next != NULL ? &next->thread : NULL;
        fiber_switch(&fiber->context, next != NULL ? next->context : block->scheduler);
    }
}

/* Makes `next` the running fiber; *from is where the caller stands. */
static void
block_switch(Block *block, FiberContext *from, Fiber *next)
{
    if (next == NULL) {
        emulator_thread = NULL;
        fiber_switch(from, block->scheduler);
        return;
    }
    if (next->stack == NULL) {
        thread_begin(next, stack_take(block));
        next->context = fiber_prepare(next->stack, (size_t)(next->thread.index % 61) * 64, fiber_main);
    }
    emulator_thread = &next->thread;
    fiber_switch(from, next->context);
}

void
block_yield()
{
    Fiber *fiber = fiber_running();
    Fiber *next = block_next(emulator_block);
    if (next != fiber)
        block_switch(emulator_block, &fiber->context, next);
}

static double
seconds_now()
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* RUNGS_EMULATOR_SECONDS: how long a block may go on without a thread that returns or passes a barrier; 10. */
static double
seconds_allowed()
{
    const char *text = getenv("RUNGS_EMULATOR_SECONDS");
    const double seconds = text != NULL ? atof(text) : 0;
    return seconds > 0 ? seconds : 10;
}

void
block_spin()
{
    enum { SPINS_TO_YIELD = 64, SPINS_TO_LOOK = 1 << 16 };
    Block *block = emulator_block;
    if (++block->spins % SPINS_TO_YIELD != 0)
        return;
    block_wake(block, fiber_running());
    block_yield();
    if (block->spins % SPINS_TO_LOOK != 0)
        return;
    if (block->idle_since == 0 || block->idle_finished != block->finished || block->idle_epochs != block->epochs) {
        block->idle_since = seconds_now();
        block->idle_finished = block->finished;
        block->idle_epochs = block->epochs;
    } else if (seconds_now() > block->idle_since + seconds_allowed()) {
        emulator_stop("for 10 seconds (RUNGS_EMULATOR_SECONDS) no thread has returned or passed a barrier: they call "
                      "atomics for ever");
    }
}

void
emulator_stop(const char *text)
{
    Block *block = emulator_block;
    launch_failed(0, text);
    block->stopped = true;
    FiberContext left;
    emulator_thread = NULL;
    fiber_switch(&left, block->scheduler);
    __builtin_unreachable();
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

Block *
block_get()
{
    if (emulator_block != NULL)
        return emulator_block;
    Block *block = new (std::nothrow) Block();
    if (block == NULL)
        return NULL;
    block->fibers = new (std::nothrow) Fiber[EMULATOR_MAX_THREADS]();
    block->arena = arena_create();
    if (block->fibers == NULL || block->arena == NULL)
        return NULL;
    emulator_block = block;
    return block;
}

static void
fibers_reset(Block *block)
{
    const dim3 size = block->work->launch.block;
    for (int i = 0; i < block->count; i++) {
        Fiber *fiber = &block->fibers[i];
        const uint3 thread = {(unsigned)i % size.x, (unsigned)i / size.x % size.y, (unsigned)i / size.x / size.y};
        fiber->thread = Thread();
        fiber->thread.thread = thread;
        fiber->thread.block = block->index;
        fiber->thread.index = i;
        fiber->thread.warp = i / EMULATOR_WARP;
        fiber->thread.lane = i % EMULATOR_WARP;
        fiber->stack = NULL;
        fiber->copies.clear();
        fiber->batches = 0;
    }
}

static void
block_reset(Block *block, const Work *work, uint3 index)
{
    const dim3 size = work->launch.block, grid = work->launch.grid;
    block->work = work;
    block->index = index;
    block->count = (int)(size.x * size.y * size.z);
    block->warps = (block->count + EMULATOR_WARP - 1) / EMULATOR_WARP;
    block->finished = block->at_barrier = 0;
    block->head = block->tail = 0;
    block->random =
        1 + work->seed + 0x9e3779b97f4a7c15ull * (index.x + (uint64_t)grid.x * (index.y + (uint64_t)grid.y * index.z));
    random_next(&block->random);
    block->stacks = block->all_stacks;
    block->stopped = block->dynamic_told = false;
    block->spins = block->epochs = 0;
    block->idle_since = 0;
    block->arrays.clear();
    fibers_reset(block);
}

bool
block_run(Block *block, const Work *work, uint3 index)
{
    block_reset(block, work, index);
    arena_reset(block);
    EMULATOR_TELL(block_begin, index, block->arena, ARENA_BYTES);
    for (int step = 0; step < block->count; step++)
        block_wake(block, &block->fibers[in_order(block, step)]);
    block_switch(block, &block->scheduler, block_next(block));
    if (!block->stopped && block->finished < block->count) {
        report_deadlock(block);
        block->stopped = true;
    }
    EMULATOR_TELL(block_end);
    return !block->stopped;
}
