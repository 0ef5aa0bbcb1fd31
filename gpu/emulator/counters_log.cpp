/* Logs the memory requests of each warp while a kernel runs: see counters_log.h.
 * SPDX-License-Identifier: MIT */
#include "gpu/emulator/counters_log.h"

/* Where a lane is: its basic block + 1 (0: nowhere), and those of the functions that called. */
struct LaneLog {
    uint32_t block;
    std::vector<uint32_t> callers;
};

std::vector<KernelLog *> &kernel_logs = *new std::vector<KernelLog *>; /* never destroyed, as in counters_totals.cpp */
bool kernel_logs_changed;

static KernelLog *kernel; /* the running one */
static size_t dynamic_shared;
static WarpLog warps[EMULATOR_MAX_THREADS / EMULATOR_WARP];
static LaneLog lanes[EMULATOR_MAX_THREADS];
static const uint32_t NOWHERE = 0xffffffff; /* the path of a thread that returns */

/* ---- numbers ------------------------------------------------------------------------------------------ */

static void
grow(PcNumbers *numbers)
{
    numbers->slots.assign(numbers->slots.empty() ? 256 : 2 * numbers->slots.size(), 0);
    const size_t mask = numbers->slots.size() - 1;
    for (size_t i = 0; i < numbers->pcs.size(); i++) {
        size_t at = numbers->pcs[i] * 2654435761u & mask;
        while (numbers->slots[at] != 0)
            at = (at + 1) & mask;
        numbers->slots[at] = (uint32_t)i + 1;
    }
}

uint32_t
pc_number(PcNumbers *numbers, uint32_t pc)
{
    if (numbers->slots.size() < 2 * (numbers->pcs.size() + 1))
        grow(numbers);
    const size_t mask = numbers->slots.size() - 1;
    size_t at = pc * 2654435761u & mask;
    while (numbers->slots[at] != 0) {
        if (numbers->pcs[numbers->slots[at] - 1] == pc)
            return numbers->slots[at] - 1;
        at = (at + 1) & mask;
    }
    numbers->pcs.push_back(pc);
    numbers->slots[at] = (uint32_t)numbers->pcs.size();
    return numbers->slots[at] - 1;
}

/* The item of this lane's next time at place `index`. */
template <typename T>
static inline T *
next_time(std::vector<Times<T>> *places, std::vector<uint32_t> *used, uint32_t index, int lane, bool *first)
{
    if (places->size() <= index)
        places->resize(index + 1);
    Times<T> *times = &(*places)[index];
    const uint32_t n = times->seen[lane]++;
    *first = n >= times->used;
    if (*first) {
        if (times->used++ == 0)
            used->push_back(index);
        if (times->items.size() < times->used)
            times->items.resize(times->used);
    }
    return &times->items[n];
}

/* ---- while lanes run ----------------------------------------------------------------------------------- */

static void
log_request(uint32_t site, uintptr_t address, size_t bytes)
{
    bool first;
    WarpLog *warp = &warps[emulator_thread->warp];
    const int lane = emulator_thread->lane;
    Request *request = next_time(&warp->sites, &warp->used_sites, site, lane, &first);
    if (first) {
        request->active = 0;
        request->bytes = (unsigned)bytes;
    }
    request->active |= 1u << lane;
    request->address[lane] = address;
}

void
log_access(const Access *access, bool shared)
{
    static const SiteKind kinds[2][3] = {{SITE_LOAD, SITE_STORE, SITE_ATOMIC},
                                         {SITE_SHARED, SITE_SHARED, SITE_SHARED_ATOMIC}};
    const uint32_t key = code_offset(access->pc) * SITE_KINDS + kinds[shared][access->kind];
    const uint32_t site = pc_number(&kernel->site_numbers, key);
    if (kernel->sites.size() <= site)
        kernel->sites.resize(site + 1);
    const size_t most = 16; /* bytes that a lane moves with one instruction */
    for (size_t at = 0; at < access->bytes; at += most)
        log_request(site, access->address + at, access->bytes - at < most ? access->bytes - at : most);
}

static void
leave_block(LaneLog *lane, uint32_t next)
{
    if (lane->block == 0)
        return;
    bool first;
    WarpLog *warp = &warps[emulator_thread->warp];
    Parting *parting = next_time(&warp->blocks, &warp->used_blocks, lane->block - 1, emulator_thread->lane, &first);
    if (first)
        *parting = Parting{next, false};
    else if (parting->next != next)
        parting->divergent = true;
}

void
log_basic_block(const void *pc)
{
    LaneLog *lane = &lanes[emulator_thread->index];
    const uint32_t block = pc_number(&kernel->block_numbers, code_offset(pc));
    if (kernel->basic_blocks.size() <= block)
        kernel->basic_blocks.resize(block + 1);
    kernel->basic_blocks[block].runs++;
    leave_block(lane, block);
    lane->block = block + 1;
}

/* A function's blocks do not follow its caller's: the caller goes on where it was. */
void
log_function_entry()
{
    LaneLog *lane = &lanes[emulator_thread->index];
    lane->callers.push_back(lane->block);
    lane->block = 0;
}

void
log_function_exit()
{
    LaneLog *lane = &lanes[emulator_thread->index];
    leave_block(lane, NOWHERE);
    if (lane->callers.empty())
        return;
    lane->block = lane->callers.back();
    lane->callers.pop_back();
}

/* ---- what execution tells -------------------------------------------------------------------------------- */

static void
count_all()
{
    for (WarpLog &warp : warps)
        count_warp(kernel, &warp);
}

/* The lanes that a warp has, a bit each: the last one of a block may be short. */
static unsigned
lanes_of(int warp)
{
    const unsigned rest = kernel->threads_per_block - (unsigned)warp * EMULATOR_WARP;
    return rest >= EMULATOR_WARP ? 0xffffffff : (1u << rest) - 1;
}

static KernelLog *
find_or_add(const Launch *launch)
{
    for (KernelLog *log : kernel_logs)
        if (log->name == launch->kernel)
            return log;
    KernelLog *log = new KernelLog();
    log->name = launch->kernel;
    log->file = launch->file;
    log->line = launch->line;
    kernel_logs.push_back(log);
    return log;
}

void
log_launch_begin(const Launch *launch)
{
    touched_begin();
    kernel = find_or_add(launch);
    kernel->launches++;
    kernel->threads_per_block = launch->block.x * launch->block.y * launch->block.z;
    dynamic_shared = launch->dynamic_shared;
    for (WarpLog &warp : warps)
        warp = WarpLog(); /* sites have other numbers in another kernel */
    kernel_logs_changed = true;
}

void
log_launch_end()
{
    count_all();
}

void
log_block_begin()
{
    kernel->blocks++;
    kernel->threads += kernel->threads_per_block;
    kernel->shared_per_block = dynamic_shared;
    for (WarpLog &warp : warps)
        warp.ended = 0;
}

void
log_block_end()
{
    count_all();
}

void
log_thread_begin()
{
    LaneLog *lane = &lanes[emulator_thread->index];
    lane->block = 0;
    lane->callers.clear();
}

/* A warp whose lanes have all returned is complete. */
void
log_thread_end()
{
    WarpLog *warp = &warps[emulator_thread->warp];
    if (++warp->ended == __builtin_popcount(lanes_of(emulator_thread->warp)))
        count_warp(kernel, warp);
}

void
log_shared(size_t bytes)
{
    kernel->shared_per_block += bytes;
}

void
log_barrier(const char *file, int line)
{
    kernel->barriers[{file, line}]++;
    count_all();
}

/* Only where the whole warp meets: else a lane may still have to come to a place that others have left. */
void
log_warp_barrier(int warp, unsigned mask)
{
    const unsigned all = lanes_of(warp);
    if ((mask & all) == all)
        count_warp(kernel, &warps[warp]);
}

/* Of wmma's shapes the one with k = 8 is TF32's; all others have k = 16. */
void
log_matrix_product(int m, int n, int k, const void *pc)
{
    const unsigned long long flops = 2ull * (unsigned)m * (unsigned)n * (unsigned)k;
    kernel->tensor_flops[code_offset(pc)] += flops;
    if (k == 8)
        kernel->tf32_flops[code_offset(pc)] += flops;
}

void
log_forget()
{
    for (KernelLog *log : kernel_logs)
        delete log;
    kernel_logs.clear();
    kernel_logs_changed = true;
}
