/* Inside the checks: pieces of memory that somebody asked for.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_CHECKS_MEMORY_H
#define GPU_EMULATOR_CHECKS_MEMORY_H

#include "gpu/emulator/checks.h"

struct Piece {
    uintptr_t begin;
    size_t bytes;
    bool freed, told; /* told: as a leak */
    const char *file; /* shared memory: where it was declared */
    int line;
    Callers callers; /* device memory: of cudaMalloc */
};

/* The piece that holds the address (also a freed one), or NULL; the last one that begins before it; the first one behind it. */
const Piece *piece_device(uintptr_t address);
const Piece *piece_device_before(uintptr_t address);
const Piece *piece_device_after(uintptr_t address);
const Piece *piece_shared(uintptr_t address);
const Piece *piece_shared_before(uintptr_t address);
const Piece *piece_shared_after(uintptr_t address);

void memory_allocated(void *address, size_t bytes);
void memory_freed(void *address, size_t bytes);
void memory_released(void *address, size_t bytes);
void memory_written_by_host(void *address, size_t bytes);
void memory_shared_begin(const char *arena, size_t bytes);
void memory_shared_declared(const void *address, size_t bytes, const char *file, int line);

/* Adds a finding for each piece that is not freed, again: also for those that were told before; returns how many. */
int memory_leaks(bool again);

#endif
