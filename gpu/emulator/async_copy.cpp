/* cp.async: a copy from device to shared memory that is there when its thread has waited for it, and not before. So a kernel that
 * forgets to wait computes with what stood there: NaN. SPDX-License-Identifier: MIT */
#include "gpu/emulator/block.h"
#include <stdio.h>
#include <string.h>

static void
copy_check(const Block *block, const void *shared, const void *global, size_t bytes, size_t zeros, void *pc)
{
    const uintptr_t to = (uintptr_t)shared, from = (uintptr_t)global, arena = (uintptr_t)block->arena;
    char text[160];
    FindingKind kind = FINDING_MISALIGNED;
    if ((bytes != 4 && bytes != 8 && bytes != 16) || zeros > bytes) {
        snprintf(text, sizeof(text), "cp.async of %zu bytes, %zu of them zeros: it copies 4, 8 or 16", bytes, zeros);
    } else if (to % bytes != 0 || from % bytes != 0) {
        snprintf(text, sizeof(text), "cp.async of %zu bytes from %p to %p: both must be multiples of %zu", bytes,
                 global, shared, bytes);
    } else if (to < arena || to + bytes > arena + block->arena_used) {
        snprintf(text, sizeof(text), "cp.async to %p, which is not shared memory", shared);
        kind = FINDING_OUT_OF_BOUNDS;
    } else {
        return;
    }
    EMULATOR_TELL(finding, kind, emulator_thread, pc, NULL, 0, text);
    emulator_stop(text);
}

void
emulator_copy_async(void *shared, const void *global, size_t bytes, size_t zeros)
{
    Fiber *fiber = fiber_running();
    void *pc = __builtin_return_address(0);
    copy_check(emulator_block, shared, global, bytes, zeros, pc);
    if (bytes > zeros)
        EMULATOR_TELL(access, global, bytes - zeros, false, pc);
    fiber->copies.push_back({shared, global, bytes - zeros, zeros, fiber->batches, pc});
}

void
emulator_copy_commit()
{
    fiber_running()->batches++;
}

/* Those of the first `batches` commits are done now. */
void
copies_finish(Fiber *fiber, unsigned batches)
{
    size_t kept = 0;
    for (const AsyncCopy &copy : fiber->copies) {
        if (copy.batch >= batches) {
            fiber->copies[kept++] = copy;
            continue;
        }
        EMULATOR_TELL(access, copy.to, copy.bytes + copy.zeros, true, copy.pc);
        memcpy(copy.to, copy.from, copy.bytes);
        memset((char *)copy.to + copy.bytes, 0, copy.zeros);
    }
    fiber->copies.resize(kept);
}

void
emulator_copy_wait(unsigned but_the_last)
{
    Fiber *fiber = fiber_running();
    copies_finish(fiber, fiber->batches > but_the_last ? fiber->batches - but_the_last : 0);
}

void
copies_forget(Fiber *fiber)
{
    if (fiber->copies.empty())
        return;
    char text[128];
    snprintf(text, sizeof(text), "the thread returned without having waited for %zu copies (cp.async)",
             fiber->copies.size());
    EMULATOR_TELL(finding, FINDING_ASYNC_COPY, &fiber->thread, fiber->copies[0].pc, NULL, 0, text);
    fiber->copies.clear();
}
