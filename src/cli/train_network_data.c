/* `rungs train`: the samples, split and normalised as the options say.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/train_network.h"
#include "core/array.h"
#include <inttypes.h>
#include <math.h>
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

/* One range for all features, as pixels want it: x' is 0 for the smallest and 1 for the largest training value. */
static void
fit_range(const Dataset *dataset, const Split *split, Normalizer *normalizer)
{
    float low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < split->train_count; i++) {
        const float *x = dataset->x + split->train[i] * dataset->features;
        for (size_t f = 0; f < dataset->features; f++) {
            low = fminf(low, x[f]);
            high = fmaxf(high, x[f]);
        }
    }
    for (size_t f = 0; f < dataset->features; f++) {
        normalizer->mean[f] = low;
        normalizer->scale[f] = high > low ? 1 / (high - low) : 0;
    }
}

static bool
normalize(TrainRun *run, Error *error)
{
    const char *name = run->options.normalize;
    NormalizerKind kind = strcmp(name, "standard") == 0 ? NORMALIZE_STANDARD
                          : strcmp(name, "minmax") == 0 ? NORMALIZE_MINMAX
                                                        : NORMALIZE_NONE;
    if (!normalizer_fit(&run->dataset, run->split.train, run->split.train_count, kind, &run->normalizer, error))
        return false;
    if (strcmp(name, "range") == 0)
        fit_range(&run->dataset, &run->split, &run->normalizer);
    normalizer_apply(&run->normalizer, &run->dataset);
    return true;
}

/* Of the values and labels as they were read, and of where the set's own test part begins (FNV-1a over words): tells a
 * checkpoint whether the data are the same, whatever they are called. */
static void
write_checksum(const Dataset *dataset, char text[32])
{
    uint64_t prime = 1099511628211u, hash = (14695981039346656037u ^ dataset->train_count) * prime;
    for (size_t i = 0; i < dataset->count * dataset->features; i++) {
        uint32_t bits;
        memcpy(&bits, &dataset->x[i], sizeof(bits));
        hash = (hash ^ bits) * prime;
    }
    for (size_t i = 0; i < dataset->count; i++)
        hash = (hash ^ (uint32_t)dataset->labels[i]) * prime;
    snprintf(text, 32, "%016" PRIx64, hash);
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
    if (!dataset_open(o->data, &run->dataset, error))
        return cannot_open(run, error);
    write_checksum(&run->dataset, run->checksum);
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
