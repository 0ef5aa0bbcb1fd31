/* Rung 10 of allreduce for short vectors: number and vector in one cache line.
 *
 *     rank 0's slot                     rank 1's slot
 *     | 7 | x[0] x[1] .. |              | 7 | x[0] x[1] .. |       call 7, written and read by all; calls 6 and 8
 *                                                                  use the other two slots
 *
 * Each rank writes its own slot and reads all of them: one trip of a cache line from core to core. There is no second wait:
 * a rank that writes call 9 into the slot of call 7 has seen all ranks' number 8, which they wrote after they had read 7.
 * SPDX-License-Identifier: MIT */
#include "10_window.h"

void
window_small(NodeWindow *window, const void *x, void *y, size_t n, Element type, Reduction op)
{
    const uint64_t call = ++window->counter[COUNT_SMALL];
    SmallSlot *mine = &part_of(window, window->rank)->slot[call % 2];
    memcpy(mine->data, x, n * element_size(type));
    /* Release; pairs with the acquire load in window_await: a rank that sees the number sees the vector. */
    atomic_store_explicit(&mine->number, call, memory_order_release);

    const char *first = part_of(window, 0)->slot[call % 2].data;
    for (int i = 0; i < window->ranks; i++) {
        const SmallSlot *slot = &part_of(window, i)->slot[call % 2];
        window_await(window, &slot->number, call);
        if (i > 0)
            combine(op, type, n, i == 1 ? first : y, slot->data, y); /* in the order of ranks: the same bits on all */
    }
}
