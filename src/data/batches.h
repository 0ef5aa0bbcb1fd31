/* Mini-batches: every epoch a new order, S = ceil(count / size) batches (or floor, when the partial last one is
 * dropped). The order of epoch e depends on (seed, e) alone, so a resumed run sees the batches that it would have seen.
 * SPDX-License-Identifier: MIT */
#ifndef DATA_BATCHES_H
#define DATA_BATCHES_H

#include "data/dataset.h"

typedef struct Batches {
    const Dataset *dataset; /* not owned */
    size_t *order;          /* [count]: the samples in this epoch's order, owned */
    size_t *samples;        /* [count]: the samples given, owned */
    size_t count, size;
    bool drop_last, shuffle;
    uint64_t seed;
    float *x;    /* [min(size, count)][features]: the rows of the current batch, owned */
    int *labels; /* [min(size, count)], owned */
} Batches;

/* samples: indices into the data set (copied); none gives 0 batches. size >= 1. Without shuffle every epoch has the
 * order of `samples`. Epoch 0 is started. */
bool batches_create(Batches *batches, const Dataset *dataset, const size_t *samples, size_t count, size_t size,
                    bool shuffle, bool drop_last, uint64_t seed, Error *error);
void batches_free(Batches *batches);

/* Batches in one epoch. */
size_t batches_per_epoch(const Batches *batches);

/* Draws the order of epoch e (0, 1, ..). */
void batches_start_epoch(Batches *batches, uint64_t epoch);

/* Rows of batch i: 0 for i >= batches_per_epoch. */
size_t batches_rows(const Batches *batches, size_t i);

/* Copies batch i's rows and labels into batches->x and ->labels; returns how many there are. */
size_t batches_load(Batches *batches, size_t i);

/* The same for `count` of its rows, from row `first` on; first + count <= batches_rows. */
void batches_load_part(Batches *batches, size_t i, size_t first, size_t count);

#endif
