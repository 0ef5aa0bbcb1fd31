/* Requests of a warp that are complete become counts: see counters_log.h.
 * SPDX-License-Identifier: MIT */
#include "gpu/emulator/counters_log.h"
#include <string.h>

static uint32_t *touched; /* by sector of device memory: the launch that touched it last */
static uint32_t launch_number;

void
touched_begin()
{
    if (touched == NULL)
        touched = (uint32_t *)shadow_memory((emulator_memory_size / 32 + 1) * sizeof(*touched));
    launch_number++;
}

/* Sectors that this launch has not touched before: compulsory misses. */
static void
touch(KernelLog *kernel, const Request *request)
{
    for (int lane = 0; lane < EMULATOR_WARP; lane++) {
        if (!(request->active >> lane & 1))
            continue;
        const size_t offset = request->address[lane] - (uintptr_t)emulator_memory;
        for (size_t sector = offset / 32; sector <= (offset + request->bytes - 1) / 32; sector++) {
            kernel->touched_sectors += touched[sector] != launch_number;
            touched[sector] = launch_number;
        }
    }
}

static unsigned
collisions(const Request *request)
{
    unsigned count = 0;
    for (int lane = 1; lane < EMULATOR_WARP; lane++) {
        bool met = false;
        for (int other = 0; other < lane && (request->active >> lane & 1); other++)
            met |= (request->active >> other & 1) && request->address[other] == request->address[lane];
        count += met;
    }
    return count;
}

static void
count_request(KernelLog *kernel, EmulatorCounts *counts, SiteKind kind, const Request *request)
{
    const unsigned bytes = request->bytes, active = request->active;
    if (kind == SITE_ATOMIC || kind == SITE_SHARED_ATOMIC) {
        counts->atomics++;
        counts->collisions += collisions(request);
    } else if (kind == SITE_SHARED) {
        unsigned ideal;
        const unsigned passes = emulator_bank_passes(request->address, bytes, active, &ideal);
        counts->shared++;
        counts->shared_passes += passes;
        counts->conflicts += passes - ideal;
    } else {
        const bool load = kind == SITE_LOAD;
        (load ? counts->loads : counts->stores) += 1;
        (load ? counts->load_sectors : counts->store_sectors) += emulator_sectors(request->address, bytes, active);
        (load ? counts->load_bytes : counts->store_bytes) += bytes * (unsigned)__builtin_popcount(active);
    }
    if (kind == SITE_LOAD || kind == SITE_STORE || kind == SITE_ATOMIC)
        touch(kernel, request);
}

void
count_warp(KernelLog *kernel, WarpLog *warp)
{
    for (uint32_t site : warp->used_sites) {
        Times<Request> *times = &warp->sites[site];
        const SiteKind kind = (SiteKind)(kernel->site_numbers.pcs[site] % SITE_KINDS);
        for (size_t i = 0; i < times->used; i++)
            count_request(kernel, &kernel->sites[site].counts, kind, &times->items[i]);
        memset(times->seen, 0, sizeof(times->seen));
        times->used = 0;
    }
    for (uint32_t block : warp->used_blocks) {
        Times<Parting> *times = &warp->blocks[block];
        for (size_t i = 0; i < times->used; i++)
            kernel->basic_blocks[block].divergent += times->items[i].divergent;
        memset(times->seen, 0, sizeof(times->seen));
        times->used = 0;
    }
    warp->used_sites.clear();
    warp->used_blocks.clear();
}
