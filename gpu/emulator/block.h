/* Inside the emulator: a block of threads while it runs. One operating-system thread (a worker) owns it; see execution.h for the
 * drawing. SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_BLOCK_H
#define GPU_EMULATOR_BLOCK_H

#include "gpu/emulator/execution.h"
#include "gpu/emulator/fiber.h"
#include "gpu/emulator/limits.h"
#include "gpu/emulator/observe.h"
#include <stdint.h>
#include <vector>

enum FiberState { FIBER_READY, FIBER_AT_BARRIER, FIBER_IN_WARP, FIBER_DONE };

/* A copy of cp.async that has been issued and not been waited for. */
struct AsyncCopy {
    void *to;
    const void *from;
    size_t bytes, zeros; /* copied, and set to 0 behind them */
    unsigned batch;      /* the number of commits before it */
    void *pc;
};

struct Fiber {
    Thread thread; /* first: emulator_thread points to it */
    FiberState state;
    char *stack; /* NULL: it has not begun, or is done */
    FiberContext context;
    void *pc; /* of the call in which it waits */

    /* At a barrier of the block. */
    const char *file;
    int line, predicate;

    /* Within its warp: its operand and its result. */
    WarpOperation operation;
    unsigned mask;
    int source;
    uint64_t value, result;

    std::vector<AsyncCopy> copies;
    unsigned batches; /* commits so far */
};

struct SharedArray {
    const EmulatorSite *site;
    char *address;
};

enum Order { ORDER_FORWARD, ORDER_REVERSE, ORDER_RANDOM };

struct Block {
    const struct Work *work;
    uint3 index;
    int count, warps, finished;
    Fiber *fibers; /* [MAX_THREADS] */

    /* Threads that can run: a ring of their indices. */
    int queue[EMULATOR_MAX_THREADS];
    unsigned head, tail;
    uint64_t random;

    int at_barrier;          /* threads that wait there */
    int arrived, predicates; /* at the last barrier: how many came, how many with a predicate that is not 0 */

    std::vector<char *> stacks; /* free ones */
    std::vector<char *> all_stacks;
    FiberContext scheduler;
    bool stopped;
    unsigned spins;       /* calls of block_spin */
    double idle_since;    /* when it was first seen that nothing happens; 0: not yet */
    int idle_finished;    /* what had happened by then: threads that had returned, */
    unsigned idle_epochs; /* barriers that were passed */
    unsigned epochs;

    char *arena; /* shared memory */
    size_t arena_used, shared_bytes;
    bool dynamic_told;
    std::vector<SharedArray> arrays;
};

/* What all blocks of a launch have in common. */
struct Work {
    Launch launch;
    EmulatorCall *call;
    const void *closure;
    size_t closure_bytes;
    size_t shared_limit;
    Order order;
    uint64_t seed;
};

/* The block that this worker runs. */
extern __thread Block *emulator_block;

/* The block of this worker, made at the first use; NULL: no memory left. */
Block *block_get();

/* Runs block `index` of the launch. False if it was stopped or its threads wait for ever: the launch's error is then set. */
bool block_run(Block *block, const Work *work, uint3 index);

/* Shared memory: NULL where none is left. Before each block, what the last one left is gone. */
/* ARENA_BYTES: what kernels may use, and a strip between arrays: in the checked library it is a red zone. */
enum { RED_ZONE = 128, ARENA_BYTES = EMULATOR_SHARED_OPTIN + 1024 * RED_ZONE };
char *arena_create();
void arena_reset(Block *block);

/* For barriers and warps: the running fiber; puts a fiber back into the queue; runs others until this one's turn comes. */
Fiber *fiber_running();
void block_wake(Block *block, Fiber *fiber);
void block_yield();

/* For what a thread may call again and again until another one has written something: lets others run now and then, and ends a
 * launch in which nothing else has happened for ten seconds. */
void block_spin();

/* A thread has returned: may others, that waited for it, go on? */
void barrier_left(Block *block);
void warp_left(Block *block, int warp);

/* Sets the launch's error, if none is set: code is a cudaError. */
void launch_failed(int code, const char *text);
/* Reports to the observer and, for the kinds after which nothing can go on, sets the launch's error. */
void report_deadlock(Block *block);

/* "block (1,0,0), thread (3,0,0)" */
const char *place_text(const Thread *thread, char text[96]);

void copies_finish(Fiber *fiber, unsigned batches);
void copies_forget(Fiber *fiber);

#endif
