/* Memory planning: see memory_plan.h. It knows spans, not networks.
 * SPDX-License-Identifier: MIT */
#include "nn/memory_plan.h"
#include "core/array.h"
#include <stdbool.h>

static bool
live_together(const Span *a, const Span *b)
{
    return a->born <= b->dies && b->born <= a->dies;
}

static bool
overlap(const Span *a, const Span *b)
{
    return a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

/* The lowest offset at which span meets none of those placed: whenever it meets one, it moves behind that one. */
static void
place(Span *span, Span *const *placed, int count)
{
    bool moved = true;
    span->offset = 0;
    while (moved) {
        moved = false;
        size_t next = 0;
        for (int i = 0; i < count; i++) {
            size_t end = placed[i]->offset + placed[i]->size;
            if (live_together(span, placed[i]) && overlap(span, placed[i]) && (!moved || end < next)) {
                next = end;
                moved = true;
            }
        }
        if (moved)
            span->offset = next;
    }
}

size_t
plan_memory(Span *spans, int count)
{
    Span **order = ARRAY(Span *, (size_t)count);
    size_t total = 0;
    for (int i = 0; i < count; i++) { /* insertion sort: largest first, equal ones in their order */
        int at = i;
        for (; at > 0 && order[at - 1]->size < spans[i].size; at--)
            order[at] = order[at - 1];
        order[at] = &spans[i];
    }
    for (int i = 0; i < count; i++) {
        place(order[i], order, i);
        if (order[i]->offset + order[i]->size > total)
            total = order[i]->offset + order[i]->size;
    }
    array_free(order);
    return total;
}
