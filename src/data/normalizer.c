/* Scales features to a common range, by what the training samples show: see dataset.h.
 * SPDX-License-Identifier: MIT */
#include "data/dataset.h"

#include "core/array.h"
#include "core/checked.h"
#include "data/batches.h"
#include "data/sample_file.h"
#include <float.h>
#include <math.h>

/* What passes over the training samples leave; [features] each. */
typedef struct Fit {
    size_t features, seen;
    float *first, *low, *high;
    double *sum, *squares; /* of differences from the first sample; of differences from the mean */
} Fit;

/* Differences too small for a float's reciprocal are none: 1 / width must be finite. */
static float
reciprocal(double width)
{
    return width >= (double)FLT_MIN ? (float)(1 / width) : 0.0f;
}

static double
mean(const Fit *fit, size_t j)
{
    return (double)fit->first[j] + fit->sum[j] / (double)fit->seen;
}

static void
add_sample(void *context, const float *x, int label)
{
    Fit *fit = context;
    (void)label;
    if (fit->seen++ == 0)
        for (size_t j = 0; j < fit->features; j++)
            fit->first[j] = fit->low[j] = fit->high[j] = x[j];
    for (size_t j = 0; j < fit->features; j++) {
        fit->low[j] = fminf(fit->low[j], x[j]);
        fit->high[j] = fmaxf(fit->high[j], x[j]);
        fit->sum[j] += (double)x[j] - (double)fit->first[j];
    }
}

static void
add_squares(void *context, const float *x, int label)
{
    Fit *fit = context;
    (void)label;
    for (size_t j = 0; j < fit->features; j++) {
        const double difference = (double)x[j] - mean(fit, j);
        fit->squares[j] += difference * difference;
    }
}

/* Mean and 1 / standard deviation. Two passes, each on differences: from the first sample, so that a constant
 * feature has exactly variance 0, then from the mean, so that a large mean does not swallow a small variance. */
static void
scale_standard(const Fit *fit, Normalizer *normalizer)
{
    for (size_t j = 0; j < fit->features; j++) {
        normalizer->mean[j] = (float)mean(fit, j);
        normalizer->scale[j] = reciprocal(sqrt(fit->squares[j] / (double)fit->seen));
    }
}

/* Minimum and 1 / (maximum - minimum). */
static void
scale_minmax(const Fit *fit, Normalizer *normalizer)
{
    for (size_t j = 0; j < fit->features; j++) {
        normalizer->mean[j] = fit->low[j];
        normalizer->scale[j] = reciprocal((double)fit->high[j] - (double)fit->low[j]);
    }
}

/* 0 is the smallest training value of any feature, 1 the largest. */
static void
scale_range(const Fit *fit, Normalizer *normalizer)
{
    float low = INFINITY, high = -INFINITY;
    for (size_t j = 0; j < fit->features; j++) {
        low = fminf(low, fit->low[j]);
        high = fmaxf(high, fit->high[j]);
    }
    for (size_t j = 0; j < fit->features; j++) {
        normalizer->mean[j] = low;
        normalizer->scale[j] = high > low ? 1 / (high - low) : 0;
    }
}

static void
scale_none(const Fit *fit, Normalizer *normalizer)
{
    for (size_t j = 0; j < fit->features; j++)
        normalizer->scale[j] = 1;
}

static bool
fit_samples(Source *source, NormalizerKind kind, Normalizer *normalizer, Error *error)
{
    static void (*const scale[])(const Fit *, Normalizer *) = {scale_none, scale_standard, scale_minmax, scale_range};
    const size_t n = source->features;
    Fit fit = {n, 0, ARRAY(float, n), ARRAY(float, n), ARRAY(float, n), ARRAY(double, n), ARRAY(double, n)};
    const bool good = (kind == NORMALIZE_NONE || source_each(source, add_sample, &fit, error)) &&
                      (kind != NORMALIZE_STANDARD || source_each(source, add_squares, &fit, error));
    if (good) {
        *normalizer = (Normalizer){n, ARRAY(float, n), ARRAY(float, n)};
        scale[kind](&fit, normalizer);
    }
    array_free(fit.first);
    array_free(fit.low);
    array_free(fit.high);
    array_free(fit.sum);
    array_free(fit.squares);
    return good;
}

bool
normalizer_fit(const Dataset *dataset, const size_t *train, size_t count, NormalizerKind kind, Normalizer *normalizer,
               Error *error)
{
    *normalizer = (Normalizer){0};
    if (count == 0)
        return error_set(error, "a normalizer needs at least one training sample");
    Source *source = batches_in_order(dataset, train, count, error);
    const bool good = source && fit_samples(source, kind, normalizer, error);
    source_free(source);
    return good;
}

void
normalizer_apply_row(const Normalizer *normalizer, float *x)
{
    for (size_t j = 0; j < normalizer->features; j++) /* in double: x - mean may leave the range of a float */
        x[j] = (float)(((double)x[j] - (double)normalizer->mean[j]) * (double)normalizer->scale[j]);
}

void
normalizer_apply(const Normalizer *normalizer, Dataset *dataset)
{
    CHECK_THAT(normalizer->features == dataset->features, "fitted on %zu features, applied to %zu",
               normalizer->features, dataset->features);
    if (dataset->file)
        sample_file_normalize(dataset->file, normalizer);
    for (size_t i = 0; dataset->x && i < dataset->count; i++)
        normalizer_apply_row(normalizer, dataset->x + i * dataset->features);
}

void
normalizer_free(Normalizer *normalizer)
{
    array_free(normalizer->mean);
    array_free(normalizer->scale);
    *normalizer = (Normalizer){0};
}
