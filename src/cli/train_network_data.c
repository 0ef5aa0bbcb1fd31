/* `rungs train`: the samples, split and normalised as the options say.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/train_network.h"
#include "core/array.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A data set with a test part of its own keeps it; what --validation asks for is then the end of its training part. */
static bool
split_as_given(TrainRun *run, Error *error)
{
    Split *split = &run->split;
    if (!dataset_split_at(&run->dataset, run->dataset.train_count, split, error))
        return false;
    size_t count = (size_t)(run->options.validation * (double)split->train_count);
    array_free(split->validation);
    split->validation = ARRAY(size_t, count);
    split->validation_count = count;
    split->train_count -= count;
    memcpy(split->validation, split->train + split->train_count, count * sizeof(size_t));
    return true;
}

static bool
normalize(TrainRun *run, Error *error)
{
    const char *name = run->options.normalize;
    NormalizerKind kind = strcmp(name, "standard") == 0 ? NORMALIZE_STANDARD
                          : strcmp(name, "minmax") == 0 ? NORMALIZE_MINMAX
                          : strcmp(name, "range") == 0  ? NORMALIZE_RANGE
                                                        : NORMALIZE_NONE;
    if (!normalizer_fit(&run->dataset, run->split.train, run->split.train_count, kind, &run->normalizer, error))
        return false;
    normalizer_apply(&run->normalizer, &run->dataset);
    return true;
}

/* Of the values and labels as they were read, and of where the set's own test part begins (FNV-1a over words): tells a
 * checkpoint whether the data are the same, whatever they are called. */
typedef struct Checksum {
    uint64_t hash;
    size_t features;
} Checksum;

static const uint64_t FNV_PRIME = 1099511628211u;

static void
add_sample(void *context, const float *x, int label)
{
    Checksum *sum = context;
    (void)label;
    for (size_t f = 0; f < sum->features; f++) {
        uint32_t bits;
        memcpy(&bits, &x[f], sizeof(bits));
        sum->hash = (sum->hash ^ bits) * FNV_PRIME;
    }
}

static bool
write_checksum(const Dataset *dataset, char text[32], Error *error)
{
    Checksum sum = {(14695981039346656037u ^ dataset->train_count) * FNV_PRIME, dataset->features};
    Source *all = batches_in_order(dataset, NULL, dataset->count, error);
    const bool good = all && source_each(all, add_sample, &sum, error);
    source_free(all);
    for (size_t i = 0; i < dataset->count; i++)
        sum.hash = (sum.hash ^ (uint32_t)dataset->labels[i]) * FNV_PRIME;
    snprintf(text, 32, "%016" PRIx64, sum.hash);
    return good;
}

/* A batch that nobody asked for is made to fit; one that was asked for must. */
static bool
choose_batch(TrainRun *run, Error *error)
{
    int *batch = &run->options.batch;
    const size_t most = run->split.train_count;
    if (*batch > 0)
        run->wanted_batch = *batch;
    else
        *batch = (size_t)run->wanted_batch < most ? run->wanted_batch : (int)most;
    return (size_t)*batch <= most ||
           error_set(error, "--batch %d is more than the %zu training samples of %s: give --batch %zu or less", *batch,
                     most, run->dataset.name, most);
}

/* Data that the checkpoint names may have been moved since. */
static bool
cannot_open(const TrainRun *run, Error *error)
{
    char files[2][DATA_PATH_MAX];
    const char *data = run->options.data,
               *named = run->resumed.header ? safetensors_metadata(&run->resumed, "data") : NULL;
    if (named && strcmp(named, data) == 0 && dataset_files(data, files) > 0)
        error_set(
            error,
            "%s; that path stands in the checkpoint %s: if the data are elsewhere now, give their path with --data",
            error->text, run->options.resume);
    return false;
}

bool
train_open_data(TrainRun *run, int *status, Error *error)
{
    const TrainArguments *o = &run->options;
    *status = STATUS_FAILED;
    if (!(o->stream ? dataset_open_streamed : dataset_open)(o->data, &run->dataset, error))
        return cannot_open(run, error);
    if (!write_checksum(&run->dataset, run->checksum, error))
        return false;
    *status = STATUS_USAGE;
    if (run->dataset.train_count > 0
            ? !split_as_given(run, error)
            : !dataset_split(&run->dataset, o->validation, o->test, o->seed, &run->split, error))
        return false;
    if (run->split.train_count == 0)
        return error_set(error, "no samples are left for training: make --validation (%g) and --test (%g) smaller",
                         o->validation, o->test);
    return choose_batch(run, error) && normalize(run, error);
}
