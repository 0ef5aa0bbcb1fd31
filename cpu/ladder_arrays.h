/* The inputs of a ladder whose operation goes through a few long arrays: activations, pooling, normalisation, optimisers.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_LADDER_ARRAYS_H
#define CPU_LADDER_ARRAYS_H

#include "core/error.h"
#include <stddef.h>
#include <stdint.h>

enum { LADDER_ARRAYS_MAX = 6, LADDER_ARRAYS_NUMBERS = 8 };

/* One array: n floats, uniform between low and high; low < high. */
typedef struct LadderArray {
    size_t n;
    double low, high;
    float *x; /* made by ladder_arrays_create */
} LadderArray;

typedef struct LadderArrays {
    int size[LADDER_ARRAYS_NUMBERS]; /* of the problem */
    uint64_t seed;
    LadderArray array[LADDER_ARRAYS_MAX];
    int calls; /* for operations in place: since they began */
} LadderArrays;

/* A copy of the description, with its arrays made and drawn; the first with low = high = 0 ends them. NULL with a sentence if there
 * is no memory, or if a count is SIZE_MAX (ladder_arrays_count). */
LadderArrays *ladder_arrays_create(const LadderArrays *description, Error *error);
void ladder_arrays_destroy(void *arrays);

/* Draws all arrays anew. */
void ladder_arrays_refresh(void *arrays, uint64_t round);

/* The product of `count` numbers, SIZE_MAX if it cannot be counted. */
size_t ladder_arrays_count(int count, const int *number);

#endif
