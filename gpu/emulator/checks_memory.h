/* Inside the checks: regions of memory that were allocated.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_CHECKS_MEMORY_H
#define GPU_EMULATOR_CHECKS_MEMORY_H

#include "gpu/emulator/checks.h"

struct Region {
    uintptr_t begin;
    size_t bytes;
    bool freed, told; /* told: as a leak */
    const char *file; /* shared memory: where it was declared */
    int line;
    Callers callers; /* device memory: of cudaMalloc */
};

/* In shared or device memory: the region that holds the address (also a freed one), or NULL; the last one that begins at it or
 * before; the first one behind it. */
const Region *region_at(bool of_shared, uintptr_t address);
const Region *region_before(bool of_shared, uintptr_t address);
const Region *region_after(bool of_shared, uintptr_t address);

void memory_allocated(void *address, size_t bytes);
void memory_freed(void *address, size_t bytes);
void memory_released(void *address, size_t bytes);
void memory_written_by_host(void *address, size_t bytes);
void memory_shared_begin(const char *arena, size_t bytes);
void memory_shared_declared(const void *address, size_t bytes, const char *file, int line);

/* Adds a finding for each region that is not freed, again: also for those that were told before; returns how many. */
int memory_leaks(bool again);

#endif
