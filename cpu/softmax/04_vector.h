/* What rung 4 of softmax computes at a time: a block of at most VECTOR_LANES rows, which the first cache holds.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_SOFTMAX_VECTOR_H
#define CPU_SOFTMAX_VECTOR_H

#include "core/vector.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* A row of `whole` classes in full vectors and `rest` < VECTOR_LANES classes behind them; idle is 0 in the first rest lanes,
 * -infinity in the others: what is added to a vector that was loaded in part. While one block is computed, memory is asked for the
 * one that lies `ahead` elements behind it. */
typedef struct Row {
    size_t classes, whole, ahead;
    int rest;
    Vector idle;
} Row;

/* Room for the exponentials of a block, in rows of `stride`. Where p goes past the caches they lie as p does in its lines, behind
 * the results of a line that the block before has begun. */
typedef struct Room {
    float *e, *first; /* first: of p, for this thread; others write before it */
    size_t stride;
    bool streamed; /* p goes past the caches */
} Room;

/* So many floats of p's line lie before p. */
static inline size_t
begun_before(const float *p)
{
    return (uintptr_t)p / sizeof *p % VECTOR_LANES;
}

/* What a block tells of each row: lane r is row r's. */
typedef struct Found {
    Vector sum, max; /* of e^(z - max), of z */
} Found;

/* p of some rows, of more than VECTOR_LANES classes, or of at most so many. p may be z. */
typedef Found SoftmaxBlock(size_t rows, const Row *row, const float *z, const Room *room, float *p);
SoftmaxBlock softmax_wide_block, softmax_narrow_block;

/* Past the caches: writes the line that the last block of more than VECTOR_LANES classes has begun. p: behind its results. */
void softmax_wide_end(const Room *room, float *p);

#endif
