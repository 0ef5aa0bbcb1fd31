/* Mini-batches of a data set, a source for training: every epoch a new order, S = ceil(count / size) batches (or floor, when the
 * partial last one is dropped). The order of epoch e depends on (seed, e) alone, and so is the same whether the rows are in memory
 * or are read from their files step by step (Dataset.file).
 * SPDX-License-Identifier: MIT */
#ifndef DATA_BATCHES_H
#define DATA_BATCHES_H

#include "data/dataset.h"
#include "data/source.h"

typedef struct BatchOptions {
    size_t size;  /* samples in a batch, >= 1 */
    bool shuffle; /* without it every epoch has the order of `samples` */
    bool drop_last;
    uint64_t seed;
} BatchOptions;

/* samples: indices into the data set, copied; NULL: 0 .. count-1. The data set is not owned. Refuses values that are not finite:
 * here where x is in memory, else when they are loaded. NULL with a sentence; free with source_free. */
Source *batches_create(const Dataset *dataset, const size_t *samples, size_t count, BatchOptions options, Error *error);

/* For one pass over the samples in their order: batches of about 1 MiB. */
Source *batches_in_order(const Dataset *dataset, const size_t *samples, size_t count, Error *error);

#endif
