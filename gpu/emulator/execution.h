/* The emulator: how a kernel runs on processors.
 *
 *     kernel<<<grid, block>>>(a, b)           translate.awk makes it  emulator_launch("kernel", .., kernel, shape, a, b)
 *
 *     grid      +---------+---------+---------+      Blocks are independent: OpenMP threads (workers) run them one by one. In
 *               | block 0 | block 1 | block 2 | ..   the checked library there is one worker.
 *               +---------+---------+---------+
 *                    |
 *     block     warp 0  | f f f f .. f |  32 fibers  Each thread of a block is a fiber: it has its own stack, runs until it must
 *               warp 1  | f f f f .. f |             wait for others, and then yields the worker to the next that can run.
 *               ..                                   Nothing of a block runs at the same time.
 *
 *     time       fiber 0      fiber 1      fiber 2
 *                reads a[0]                                    block_epoch 0
 *                writes s[0]
 *                __syncthreads ->
 *                             reads a[1]
 *                             writes s[1]
 *                             __syncthreads ->
 *                                          reads a[2]
 *                                          writes s[2]
 *                                          __syncthreads: all have come
 *              ------------------------------------------------------------
 *                reads s[2]                                    block_epoch 1: accesses of different epochs are ordered,
 *                ..                                            accesses of one epoch are not, whatever order they ran in
 *
 * A thread that returns lends its stack to the next: a kernel without barriers needs one stack.
 * Which of those that can run is next: RUNGS_EMULATOR_ORDER = forward (by index; the default), reverse (also the blocks), or a
 * number, the seed of a random order. A kernel that is right gives the same result in all of them, rounding of atomic sums aside.
 *
 * Threads that wait for ever (a barrier that some never reach) end the launch with an error; see gpu_synchronize. A fiber that
 * spins on a value without calling anything of the emulator cannot be stopped. One that spins on an atomic lets others run,
 * and ends the launch after RUNGS_EMULATOR_SECONDS (10) without progress.
 * Memory: shared memory and fresh device memory are filled with bytes 0xff, which is NaN as a float of any size.
 *
 * What is not modelled: caches, the order in which other blocks see writes, wgmma, TMA, mbarrier, clusters, and time.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_EXECUTION_H
#define GPU_EMULATOR_EXECUTION_H

#include "gpu/emulator/vector_types.h"
#include <stddef.h>
#include <stdint.h>
#include <tuple>
#include <type_traits>

/* ---- launches -------------------------------------------------------------------------------------- */

/* What stands between <<< and >>>. The stream does not matter: a launch is over when it returns. */
struct EmulatorShape {
    dim3 grid, block;
    size_t shared;
    EmulatorShape(dim3 grid_, dim3 block_, size_t shared_ = 0, void *stream = nullptr)
        : grid(grid_), block(block_), shared(shared_)
    {
        (void)stream;
    }
};

/* Calls the kernel with the arguments stored in closure. */
typedef void EmulatorCall(void *closure);

/* Runs the grid. key: the kernel's address, which cudaFuncSetAttribute knows it by. The closure's bytes are copied to each
 * thread's stack: a kernel owns its arguments. */
void emulator_run(const char *name, const char *file, int line, const void *key, const EmulatorShape &shape,
                  EmulatorCall *call, const void *closure, size_t closure_bytes);

/* Arguments are converted to the kernel's parameters once, on the host. */
template <typename... P, typename... A>
void
emulator_launch(const char *name, const char *file, int line, void (*kernel)(P...), const EmulatorShape &shape,
                A &&...arguments)
{
    struct Closure {
        void (*kernel)(P...);
        std::tuple<std::decay_t<P>...> values;
    } closure = {kernel, std::tuple<std::decay_t<P>...>(static_cast<A &&>(arguments)...)};
    emulator_run(
        name, file, line, (const void *)kernel, shape,
        [](void *memory) {
            Closure *mine = (Closure *)memory;
            std::apply(mine->kernel, mine->values);
        },
        &closure, sizeof(closure));
}

/* ---- where a thread stands: const, for nothing that it can call changes it -------------------------------- */

__attribute__((const)) uint3 emulator_thread_index();
__attribute__((const)) uint3 emulator_block_index();
__attribute__((const)) dim3 emulator_block_size();
__attribute__((const)) dim3 emulator_grid_size();

/* ---- shared memory ----------------------------------------------------------------------------------- */

/* One for each `__shared__ T name[..];`, at its place. */
struct EmulatorSite {
    const char *file;
    int line;
};

/* The block's array of this site; the first thread that asks makes it. */
void *emulator_shared_array(const EmulatorSite *site, size_t bytes);
void *emulator_dynamic_shared();

template <typename T>
__attribute__((always_inline)) inline T &
emulator_shared(const EmulatorSite *site)
{
    return *(T *)emulator_shared_array(site, sizeof(T));
}

/* ---- threads that wait for each other -------------------------------------------------------------- */

struct EmulatorArrivals {
    int threads, predicates; /* that came; that came with a predicate other than 0 */
};
EmulatorArrivals emulator_barrier(const char *file, int line, int predicate);

enum WarpOperation {
    WARP_SYNC,
    WARP_SHUFFLE,
    WARP_SHUFFLE_UP,
    WARP_SHUFFLE_DOWN,
    WARP_SHUFFLE_XOR,
    WARP_VOTE,
    WARP_MATCH,
    WARP_CALL
};
void emulator_warp_sync(unsigned mask);
uint64_t emulator_shuffle(WarpOperation operation, unsigned mask, uint64_t value, int argument, int width);
struct EmulatorVotes {
    unsigned present, yes; /* lanes of the mask that have not returned; those of them with a predicate other than 0 */
};
EmulatorVotes emulator_vote(unsigned mask, bool predicate);
unsigned emulator_match(unsigned mask, uint64_t value);
unsigned emulator_active_mask();
/* When all lanes have arrived, one of them calls function with the value of each; NULL: the lane has returned. */
typedef void EmulatorTogether(void *const *lanes);
void emulator_together(EmulatorTogether *function, void *mine);

void emulator_fence();

/* cp.async: bytes is 4, 8 or 16, both addresses multiples of it. The last `zeros` bytes are not copied but set to 0. */
void emulator_copy_async(void *shared, const void *global, size_t bytes, size_t zeros);
void emulator_copy_commit();
void emulator_copy_wait(unsigned but_the_last);

#endif
