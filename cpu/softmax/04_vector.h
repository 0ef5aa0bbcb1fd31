/* What rung 4 of softmax computes at a time: a block of at most VECTOR_LANES rows, which the L1 cache holds.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_SOFTMAX_VECTOR_H
#define CPU_SOFTMAX_VECTOR_H

#include "core/vector.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* A row of `whole` classes in full vectors and `rest` < VECTOR_LANES classes behind them; idle is 0 in the first rest lanes,
 * -infinity in the others: what is added to a vector that was loaded in part. While one block is computed, the one `ahead`
 * elements behind it is prefetched. */
typedef struct Row {
    size_t classes, whole, ahead;
    int rest;
    Vector idle;
} Row;

/* Room for the exponentials of a block, in rows of `stride`. Where p is streamed, they have the alignment of p within its cache
 * lines, behind the results of the partial line that the previous block has left. */
typedef struct Room {
    float *e, *first; /* first: of p, for this thread; others write before it */
    size_t stride;
    bool streamed; /* p is written with non-temporal stores */
} Room;

/* p's offset within its cache line, in floats. */
static inline size_t
begun_before(const float *p)
{
    return (uintptr_t)p / sizeof *p % VECTOR_LANES;
}

/* Sum and maximum of each row of a block: lane r is row r's. */
typedef struct Found {
    Vector sum, max; /* of e^(z - max), of z */
} Found;

/* p of some rows, of more than VECTOR_LANES classes, or of at most VECTOR_LANES. p may be z. */
typedef Found SoftmaxBlock(size_t rows, const Row *row, const float *z, const Room *room, float *p);
SoftmaxBlock softmax_wide_block, softmax_narrow_block;

/* Streamed: writes the partial line that the last block of more than VECTOR_LANES classes has left. p: behind its results. */
void softmax_wide_end(const Room *room, float *p);

#endif
