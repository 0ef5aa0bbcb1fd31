/* Mini-batches: see batches.h.
 * SPDX-License-Identifier: MIT */
#include "data/batches.h"

#include "core/array.h"
#include "core/rng.h"
#include <string.h>

/* Stream of epoch e: apart from those that draw weights and splits under the same seed. */
static const uint64_t BATCHES_STREAM = (uint64_t)0x42415443 << 32; /* "BATC" */

static bool
check(const Dataset *dataset, const size_t *samples, size_t count, size_t size, Error *error)
{
    if (size < 1)
        return error_set(error, "a batch has at least 1 sample, not 0");
    for (size_t i = 0; i < count; i++) {
        if (samples[i] >= dataset->count)
            return error_set(error, "sample %zu does not exist: %s has %zu samples", samples[i], dataset->name,
                             dataset->count);
    }
    return true;
}

static bool
allocate(Batches *batches, Error *error)
{
    size_t rows = batches->size < batches->count ? batches->size : batches->count, elements = 0;
    if (!size_multiply(rows, batches->dataset->features, &elements))
        return error_set(error, "batches of %zu samples do not fit into memory; take smaller ones", rows);
    return (batches->order = array_try_create(batches->count, sizeof(size_t), error)) &&
           (batches->samples = array_try_create(batches->count, sizeof(size_t), error)) &&
           (batches->x = array_try_create(elements, sizeof(float), error)) &&
           (batches->labels = array_try_create(rows, sizeof(int), error));
}

bool
batches_create(Batches *batches, const Dataset *dataset, const size_t *samples, size_t count, size_t size, bool shuffle,
               bool drop_last, uint64_t seed, Error *error)
{
    *batches = (Batches){
        .dataset = dataset, .count = count, .size = size, .drop_last = drop_last, .shuffle = shuffle, .seed = seed};
    if (!check(dataset, samples, count, size, error) || !allocate(batches, error)) {
        batches_free(batches);
        return false;
    }
    if (count > 0)
        memcpy(batches->samples, samples, count * sizeof(*samples));
    batches_start_epoch(batches, 0);
    return true;
}

void
batches_free(Batches *batches)
{
    array_free(batches->order);
    array_free(batches->samples);
    array_free(batches->x);
    array_free(batches->labels);
    *batches = (Batches){0};
}

size_t
batches_per_epoch(const Batches *batches)
{
    if (batches->size == 0)
        return 0;
    return batches->count / batches->size + (!batches->drop_last && batches->count % batches->size > 0);
}

void
batches_start_epoch(Batches *batches, uint64_t epoch)
{
    if (batches->count == 0)
        return;
    memcpy(batches->order, batches->samples, batches->count * sizeof(*batches->order));
    if (!batches->shuffle)
        return;
    Rng rng = rng_create(batches->seed, BATCHES_STREAM + epoch);
    rng_shuffle(&rng, batches->order, batches->count);
}

size_t
batches_rows(const Batches *batches, size_t i)
{
    if (i >= batches_per_epoch(batches))
        return 0;
    size_t left = batches->count - i * batches->size;
    return left < batches->size ? left : batches->size;
}

void
batches_load_part(Batches *batches, size_t i, size_t first, size_t count)
{
    size_t features = batches->dataset->features;
    for (size_t row = 0; row < count; row++) {
        size_t which = batches->order[i * batches->size + first + row];
        memcpy(batches->x + row * features, batches->dataset->x + which * features, features * sizeof(float));
        batches->labels[row] = batches->dataset->labels[which];
    }
}

size_t
batches_load(Batches *batches, size_t i)
{
    const size_t rows = batches_rows(batches, i);
    batches_load_part(batches, i, 0, rows);
    return rows;
}
