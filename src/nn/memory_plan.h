/* Where to put arrays that do not all live at the same time: two of them may share memory if one is dead before the other is
 * born. SPDX-License-Identifier: MIT */
#ifndef NN_MEMORY_PLAN_H
#define NN_MEMORY_PLAN_H

#include <stddef.h>

/* An array of `size` units, written first at the moment `born` and read last at `dies` (both included, born <= dies). */
typedef struct Span {
    size_t size;
    int born, dies;
    size_t offset; /* the result */
} Span;

/* Chooses offsets so that spans that live at the same moment do not overlap; returns the size of all of them together. Largest
 * first, each at the lowest place that is free during its life: not always the least possible (that is NP-hard), never above
 * the sum. */
size_t plan_memory(Span *spans, int count);

#endif
