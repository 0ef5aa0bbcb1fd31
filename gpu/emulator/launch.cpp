/* A launch: is it within the device's limits? Then its blocks, one by one or by all workers. SPDX-License-Identifier: MIT */
#include "gpu/emulator/block.h"
#include "gpu/emulator/runtime.h"
#include <mutex>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
launch_failed(int code, const char *text)
{
    runtime_launch_error(code != 0 ? (cudaError_t)code : cudaErrorLaunchFailure, text);
}

/* ---- limits ------------------------------------------------------------------------------------------ */

/* NULL, or what is wrong with the size, and its error. */
static const char *
shape_error(const EmulatorShape &shape, size_t shared_limit, size_t argument_bytes, cudaError_t *error)
{
    const dim3 b = shape.block, g = shape.grid;
    *error = cudaErrorInvalidConfiguration;
    if (b.x == 0 || b.y == 0 || b.z == 0)
        return "a block has no threads";
    if (g.x == 0 || g.y == 0 || g.z == 0)
        return "the grid has no blocks";
    if (b.x > EMULATOR_MAX_THREADS || b.y > EMULATOR_MAX_THREADS || b.z > EMULATOR_MAX_Z ||
        (uint64_t)b.x * b.y * b.z > EMULATOR_MAX_THREADS)
        return "a block has at most 1024 threads, 64 of them in z";
    if (g.x > EMULATOR_MAX_GRID || g.y > EMULATOR_MAX_GRID_YZ || g.z > EMULATOR_MAX_GRID_YZ)
        return "a grid has at most 2^31 - 1 blocks in x, 65535 in y and in z";
    *error = cudaErrorInvalidValue;
    if (argument_bytes > EMULATOR_ARGUMENTS)
        return "a kernel's arguments have at most 32764 bytes";
    if (shape.shared > shared_limit)
        return shared_limit < EMULATOR_SHARED_OPTIN
                   ? "more dynamic shared memory than 48 KiB, or than cudaFuncSetAttribute set"
                   : "a block has at most 227 KiB of shared memory";
    return NULL;
}

/* RUNGS_EMULATOR_ORDER; NULL or what is wrong with it. */
static const char *
order_from_environment(Work *work)
{
    const char *text = getenv("RUNGS_EMULATOR_ORDER");
    char *end;
    work->order = ORDER_FORWARD;
    if (text == NULL || *text == '\0' || strcmp(text, "forward") == 0)
        return NULL;
    work->order = ORDER_REVERSE;
    if (strcmp(text, "reverse") == 0)
        return NULL;
    work->order = ORDER_RANDOM;
    work->seed = strtoull(text, &end, 10);
    return *end == '\0' ? NULL : "RUNGS_EMULATOR_ORDER is neither forward nor reverse nor a number";
}

static void
refuse(const Launch *launch, cudaError_t error, const char *why)
{
    char text[512];
    const dim3 g = launch->grid, b = launch->block;
    snprintf(text, sizeof(text), "%s<<<(%u,%u,%u), (%u,%u,%u), %zu>>> at %s:%d: %s", launch->kernel, g.x, g.y, g.z, b.x,
             b.y, b.z, launch->dynamic_shared, launch->file, launch->line, why);
    EMULATOR_TELL(finding, FINDING_LAUNCH, NULL, NULL, launch->file, launch->line, text);
    runtime_launch_error(error, text);
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

static uint3
block_index(const Work *work, uint64_t number)
{
    const dim3 g = work->launch.grid;
    const uint64_t blocks = (uint64_t)g.x * g.y * g.z;
    if (work->order == ORDER_REVERSE)
        number = blocks - 1 - number;
    return {(unsigned)(number % g.x), (unsigned)(number / g.x % g.y), (unsigned)(number / g.x / g.y)};
}

/* Takes the next block until none is left or one has failed. */
static void
run_blocks(const Work *work, uint64_t *next, int *stopped)
{
    const dim3 g = work->launch.grid;
    const uint64_t blocks = (uint64_t)g.x * g.y * g.z;
    Block *block = block_get();
    if (block == NULL) {
        launch_failed(cudaErrorMemoryAllocation, "no memory is left for a block's threads");
        return;
    }
    for (;;) {
        const uint64_t number = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED);
        if (number >= blocks || __atomic_load_n(stopped, __ATOMIC_RELAXED))
            return;
        if (!block_run(block, work, block_index(work, number)))
            __atomic_store_n(stopped, 1, __ATOMIC_RELAXED);
    }
}

static void
run_grid(const Work *work)
{
    uint64_t next = 0;
    int stopped = 0;
    const dim3 g = work->launch.grid;
    /* Observers want all calls from one thread. */
    [[maybe_unused]] const bool alone = emulator_observer.launch_begin != NULL || (uint64_t)g.x * g.y * g.z == 1;
    EMULATOR_TELL(launch_begin, &work->launch);
#pragma omp parallel if (!alone)
    run_blocks(work, &next, &stopped);
    EMULATOR_TELL(launch_end, &work->launch);
}

void
emulator_run(const char *name, const char *file, int line, const void *key, const EmulatorShape &shape,
             EmulatorCall *call, const void *closure, size_t closure_bytes)
{
    static unsigned long long launches;
    static std::mutex one_at_a_time;
    Work work = {};
    work.launch = {name, file, line, shape.grid, shape.block, shape.shared, 0};
    work.call = call;
    work.closure = closure;
    work.closure_bytes = closure_bytes;
    work.shared_limit = runtime_shared_limit(key);
    cudaError_t error = cudaErrorInvalidValue;
    const char *why = order_from_environment(&work);
    if (why == NULL)
        why = shape_error(shape, work.shared_limit, closure_bytes - sizeof(key), &error);
    if (emulator_thread != NULL)
        emulator_stop("a kernel launched a kernel: the emulator does not do that");
    if (why != NULL) {
        refuse(&work.launch, error, why);
        return;
    }
    std::lock_guard<std::mutex> lock(one_at_a_time);
    work.launch.number = ++launches;
    run_grid(&work);
}
