/* A checksum of all samples: see dataset.h. SPDX-License-Identifier: MIT */
#include "data/batches.h"
#include <string.h>

typedef struct Checksum {
    uint64_t hash;
    size_t features;
} Checksum;

static void
add(Checksum *sum, uint64_t word)
{
    sum->hash = (sum->hash ^ word) * 1099511628211u;
}

static void
add_sample(void *context, const float *x, int label)
{
    Checksum *sum = context;
    (void)label;
    for (size_t f = 0; f < sum->features; f++) {
        uint32_t bits;
        memcpy(&bits, &x[f], sizeof(bits));
        add(sum, bits);
    }
}

bool
dataset_checksum(const Dataset *dataset, uint64_t *result, Error *error)
{
    Checksum sum = {14695981039346656037u, dataset->features};
    add(&sum, dataset->train_count);
    Source *all = batches_in_order(dataset, NULL, dataset->count, error);
    const bool good = all && source_each(all, add_sample, &sum, error);
    source_free(all);
    for (size_t i = 0; i < dataset->count; i++)
        add(&sum, (uint32_t)dataset->labels[i]);
    *result = sum.hash;
    return good;
}
