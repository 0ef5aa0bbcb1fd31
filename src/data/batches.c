/* Mini-batches: see batches.h.
 * SPDX-License-Identifier: MIT */
#include "data/batches.h"

#include "core/array.h"
#include "core/rng.h"
#include "data/sample_file.h"
#include <math.h>
#include <string.h>

/* Stream of epoch e: apart from those that draw weights and splits under the same seed. */
static const uint64_t BATCHES_STREAM = (uint64_t)0x42415443 << 32; /* "BATC" */

enum { PASS_BYTES = 1 << 20 };

typedef struct Batches {
    Source source; /* first */
    const Dataset *dataset;
    BatchOptions options;
    size_t *samples; /* [source.samples]: those given */
    size_t *order;   /* the same in the order of `epoch` */
    uint64_t epoch;
} Batches;

static void
start_epoch(Batches *batches, uint64_t epoch)
{
    const size_t count = batches->source.samples;
    batches->epoch = epoch;
    if (count > 0)
        memcpy(batches->order, batches->samples, count * sizeof(*batches->order));
    if (!batches->options.shuffle)
        return;
    Rng rng = rng_create(batches->options.seed, BATCHES_STREAM + epoch);
    rng_shuffle(&rng, batches->order, count);
}

/* The samples of these rows; their labels, which are always in memory, are copied. */
static const size_t *
find_rows(Source *source, uint64_t epoch, uint64_t step, size_t first, size_t count)
{
    Batches *batches = (Batches *)source;
    if (epoch != batches->epoch)
        start_epoch(batches, epoch);
    const size_t *which = batches->order + (size_t)step * source->batch + first;
    for (size_t row = 0; row < count; row++)
        source->labels[row] = batches->dataset->labels[which[row]];
    return which;
}

static bool
load_from_memory(Source *source, uint64_t epoch, uint64_t step, size_t first, size_t count, Error *error)
{
    const float *x = ((const Batches *)source)->dataset->x;
    const size_t *which = find_rows(source, epoch, step, first, count), features = source->features;
    (void)error;
    for (size_t row = 0; row < count; row++)
        memcpy(source->x + row * features, x + which[row] * features, features * sizeof(float));
    return true;
}

static bool
load_from_files(Source *source, uint64_t epoch, uint64_t step, size_t first, size_t count, Error *error)
{
    const size_t *which = find_rows(source, epoch, step, first, count);
    return sample_file_read(((const Batches *)source)->dataset->file, which, count, source->x, error);
}

static void
batches_free(Source *source)
{
    Batches *batches = (Batches *)source;
    array_free(batches->order);
    array_free(batches->samples);
    array_free(source->x);
    array_free(source->labels);
    array_free(batches);
}

static const SourceKind in_memory = {"in memory", load_from_memory, batches_free},
                        streamed = {"read from its files in every epoch", load_from_files, batches_free};

/* ---- creation ---- */

static bool
check_sample(const Dataset *dataset, size_t i, Error *error)
{
    if (i >= dataset->count)
        return error_set(error, "sample %zu does not exist: %s has %zu samples", i, dataset->name, dataset->count);
    for (size_t f = 0; dataset->x && f < dataset->features; f++)
        if (!isfinite(dataset->x[i * dataset->features + f]))
            return error_set(
                error,
                "%s: feature %zu of sample %zu (both counted from 0) is %g: training needs finite numbers, "
                "so repair or remove that sample",
                dataset->name, f, i, (double)dataset->x[i * dataset->features + f]);
    return true;
}

static bool
take_samples(Batches *batches, const size_t *samples, Error *error)
{
    for (size_t i = 0; i < batches->source.samples; i++) {
        batches->samples[i] = samples ? samples[i] : i;
        if (!check_sample(batches->dataset, batches->samples[i], error))
            return false;
    }
    return true;
}

static bool
allocate(Batches *batches, Error *error)
{
    Source *source = &batches->source;
    size_t rows = source->batch < source->samples ? source->batch : source->samples, elements = 0;
    if (!size_multiply(rows, source->features, &elements))
        return error_set(error, "batches of %zu samples do not fit into memory; take smaller ones", rows);
    return (batches->order = array_try_create(source->samples, sizeof(size_t), error)) &&
           (batches->samples = array_try_create(source->samples, sizeof(size_t), error)) &&
           (source->x = array_try_create(elements, sizeof(float), error)) &&
           (source->labels = array_try_create(rows, sizeof(int), error));
}

Source *
batches_create(const Dataset *dataset, const size_t *samples, size_t count, BatchOptions options, Error *error)
{
    if (options.size < 1) {
        error_set(error, "a batch has at least 1 sample, not 0");
        return NULL;
    }
    Batches *batches = ARRAY(Batches, 1);
    *batches = (Batches){.dataset = dataset, .options = options};
    batches->source = (Source){.kind = dataset->file ? &streamed : &in_memory,
                               .name = dataset->name,
                               .height = dataset->height,
                               .width = dataset->width,
                               .channels = dataset->channels,
                               .features = dataset->features,
                               .classes = dataset->classes,
                               .samples = count,
                               .batch = options.size,
                               .steps = count / options.size + (!options.drop_last && count % options.size > 0)};
    if (!allocate(batches, error) || !take_samples(batches, samples, error)) {
        batches_free(&batches->source);
        return NULL;
    }
    start_epoch(batches, 0);
    return &batches->source;
}

Source *
batches_in_order(const Dataset *dataset, const size_t *samples, size_t count, Error *error)
{
    const size_t rows = PASS_BYTES / sizeof(float) / dataset->features;
    return batches_create(dataset, samples, count, (BatchOptions){.size = rows > 0 ? rows : 1}, error);
}
