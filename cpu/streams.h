/* The inputs of a ladder whose operation goes through a few long arrays: activations, pooling, normalisation, optimisers.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_STREAMS_H
#define CPU_STREAMS_H

#include "core/error.h"
#include <stddef.h>
#include <stdint.h>

enum { STREAMS_MAX = 6, STREAMS_NUMBERS = 8 };

/* One array: n floats, uniform between low and high; low < high. */
typedef struct Stream {
    size_t n;
    double low, high;
    float *x; /* made by streams_create */
} Stream;

typedef struct Streams {
    int size[STREAMS_NUMBERS]; /* of the problem */
    uint64_t seed;
    Stream stream[STREAMS_MAX];
    int calls; /* for operations in place: since they began */
} Streams;

/* A copy of the description, with its arrays made and drawn; the first with low = high = 0 ends them. NULL with a sentence if there
 * is no memory, or if a count is SIZE_MAX (streams_count). */
Streams *streams_create(const Streams *description, Error *error);
void streams_destroy(void *streams);

/* Draws all arrays anew. */
void streams_refresh(void *streams, uint64_t round);

/* The product of `count` numbers, SIZE_MAX if it cannot be counted. */
size_t streams_count(int count, const int *number);

#endif
