/* Shared memory: the arena of a block, dealt out when its threads come to their declarations. SPDX-License-Identifier: MIT
 *
 *     | dynamic array | strip | first static array | strip | second .. |
 */
#include "gpu/emulator/block.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

char *
arena_create()
{
    void *arena = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return arena != MAP_FAILED ? (char *)arena : NULL;
}

/* The dynamic array stands first. */
void
arena_reset(Block *block)
{
    block->shared_bytes = block->work->launch.dynamic_shared;
    memset(block->arena, 0xff, block->shared_bytes);
    block->arena_used = (block->shared_bytes + RED_ZONE - 1) / RED_ZONE * RED_ZONE + RED_ZONE;
}

void *
emulator_dynamic_shared()
{
    Block *block = emulator_block;
    if (!block->dynamic_told)
        EMULATOR_TELL(shared_declared, block->arena, block->work->launch.dynamic_shared, NULL, 0);
    block->dynamic_told = true;
    return block->arena;
}

void *
emulator_shared_array(const EmulatorSite *site, size_t bytes)
{
    Block *block = emulator_block;
    for (const SharedArray &array : block->arrays)
        if (array.site == site)
            return array.address;
    block->shared_bytes += bytes;
    char text[256];
    if (block->shared_bytes > block->work->shared_limit) {
        snprintf(text, sizeof(text),
                 "%s:%d: with this array a block of %s needs %zu bytes of shared memory, %zu are allowed", site->file,
                 site->line, block->work->launch.kernel, block->shared_bytes, block->work->shared_limit);
        EMULATOR_TELL(finding, FINDING_LAUNCH, emulator_thread, NULL, site->file, site->line, text);
        emulator_stop(text);
    }
    char *address = block->arena + block->arena_used;
    memset(address, 0xff, bytes);
    block->arena_used += (bytes + RED_ZONE - 1) / RED_ZONE * RED_ZONE + RED_ZONE;
    block->arrays.push_back({site, address});
    EMULATOR_TELL(shared_declared, address, bytes, site->file, site->line);
    return address;
}
