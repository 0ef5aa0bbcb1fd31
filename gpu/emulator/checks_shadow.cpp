/* The shadow: a cell and a byte of state for each word of device and of shared memory. See checks.h.
 * SPDX-License-Identifier: MIT */
#include "gpu/emulator/checks.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

Shadow shadow_device, shadow_shared = {0, 0, NULL, NULL, 0, true};

/* Pages of it come into being when they are touched. */
void *
shadow_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        perror("emulator: no address space for the shadow of device memory");
        abort();
    }
    return memory;
}

void
shadow_reserve(Shadow *shadow, const void *begin, size_t bytes)
{
    if (shadow->begin == (uintptr_t)begin && shadow->bytes >= bytes)
        return;
    if (shadow->state != NULL) {
        munmap(shadow->state, shadow->bytes / 4);
        munmap(shadow->cells, shadow->bytes / 4 * sizeof(Cell));
    }
    shadow->begin = (uintptr_t)begin;
    shadow->bytes = bytes / 4 * 4;
    shadow->state = (uint8_t *)shadow_memory(shadow->bytes / 4);
    shadow->cells = (Cell *)shadow_memory(shadow->bytes / 4 * sizeof(Cell));
}

void
shadow_set(Shadow *shadow, const void *begin, size_t bytes, uint8_t clear, uint8_t set)
{
    const uintptr_t from = (uintptr_t)begin, to = from + bytes;
    for (uintptr_t word = from / 4 * 4; word < to; word += 4) {
        const uint8_t in = bytes_within(word, from, to), both = (uint8_t)(in * 0x11);
        uint8_t *state = &shadow->state[(word - shadow->begin) / 4];
        *state = (uint8_t)((*state & ~(both & clear)) | (both & set));
    }
}
