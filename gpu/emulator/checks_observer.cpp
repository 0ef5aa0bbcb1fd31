/* The checked library's answer to observe.h: each event goes to the checks and to the counters.
 * SPDX-License-Identifier: MIT */
#include "gpu/emulator/checks_memory.h"
#include "gpu/emulator/counters_log.h"
#include <stdlib.h>

static void
on_launch_begin(const Launch *launch)
{
    device_open();
    finding_launch(launch);
    check_launch_begin(launch);
    log_launch_begin(launch);
}

static void
on_launch_end(const Launch *)
{
    check_launch_end();
    log_launch_end();
    finding_launch(NULL);
    device_close();
}

static void
on_block_begin(uint3 block, const char *shared, size_t arena_bytes)
{
    memory_shared_begin(shared, arena_bytes);
    check_block_begin(block);
    log_block_begin();
}

static void
on_block_end()
{
    check_block_end();
    log_block_end();
}

static void
on_shared_declared(const void *address, size_t bytes, const char *file, int line)
{
    memory_shared_declared(address, bytes, file, line);
    if (file != NULL) /* the dynamic one was counted at the launch */
        log_shared(bytes);
}

static void
on_thread_begin()
{
    fence_thread_begin(emulator_thread->index);
    log_thread_begin();
}

static void
on_barrier(const char *file, int line)
{
    check_barrier();
    log_barrier(file, line);
}

static void
on_warp_barrier(int warp, unsigned mask, bool orders_memory, void *)
{
    if (orders_memory)
        check_warp_barrier(warp, mask);
    log_warp_barrier(warp, mask);
}

static void
on_matrix_product(int m, int n, int k, void *pc)
{
    log_matrix_product(m, n, k, pc);
}

static void
on_access(const void *address, size_t bytes, bool write, void *pc)
{
    const Access access = {(uintptr_t)address, bytes, write ? ACCESS_WRITE : ACCESS_READ, false, pc};
    if (access.address - (uintptr_t)emulator_thread->stack_begin >=
        (size_t)(emulator_thread->stack_end - emulator_thread->stack_begin))
        place_access(&access);
}

static void
on_atomic(const void *address, size_t bytes, void *pc)
{
    const Access access = {(uintptr_t)address, bytes, ACCESS_ATOMIC, true, pc};
    place_access(&access);
}

static void
on_finding(FindingKind kind, const Thread *thread, void *pc, const char *file, int line, const char *text)
{
    Sighting sighting = {};
    sighting.kind = kind;
    sighting.pc = file == NULL ? pc : NULL;
    sighting.file = file;
    sighting.line = line;
    sighting.text = text;
    const Running running = finding_running(thread);
    finding_add_of(&running, &sighting);
}

/* When the program ends. */
static void
report_at_exit()
{
    memory_leaks(false);
    if (!findings_unreported())
        return;
    fprintf(stderr, "\nThe GPU emulator has found mistakes:\n");
    emulator_report_findings(stderr);
}

static void
on_allocated(void *address, size_t bytes)
{
    static const int registered = atexit(report_at_exit);
    (void)registered;
    memory_allocated(address, bytes);
}

const Observer emulator_observer = {
    .allocated = on_allocated,
    .freed = memory_freed,
    .released = memory_released,
    .written_by_host = memory_written_by_host,
    .read_by_host = NULL,
    .launch_begin = on_launch_begin,
    .launch_end = on_launch_end,
    .block_begin = on_block_begin,
    .block_end = on_block_end,
    .shared_declared = on_shared_declared,
    .thread_begin = on_thread_begin,
    .thread_end = log_thread_end,
    .barrier = on_barrier,
    .warp_barrier = on_warp_barrier,
    .matrix_product = on_matrix_product,
    .fence = check_fence,
    .access = on_access,
    .atomic = on_atomic,
    .finding = on_finding,
    .host_begin = device_open,
    .host_end = device_close,
};

void
emulator_reset(void)
{
    findings_forget();
    log_forget();
}

int
emulator_leaks(void)
{
    return memory_leaks(true);
}
