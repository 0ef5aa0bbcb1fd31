/* Scales features to a common range, by what the training samples show: see dataset.h.
 * SPDX-License-Identifier: MIT */
#include "data/dataset.h"

#include "core/array.h"
#include "core/checked.h"
#include <float.h>
#include <math.h>

/* The training samples of one data set. */
typedef struct Samples {
    const Dataset *dataset;
    const size_t *index;
    size_t count;
} Samples;

static const float *
sample(const Samples *samples, size_t i)
{
    return samples->dataset->x + samples->index[i] * samples->dataset->features;
}

/* Differences too small for a float's reciprocal are none: 1 / width must be finite. */
static float
reciprocal(double width)
{
    return width >= (double)FLT_MIN ? (float)(1 / width) : 0.0f;
}

/* Mean and 1 / standard deviation. Two passes, each on differences: from the first sample, so that a constant
 * feature has exactly variance 0, then from the mean, so that a large mean does not swallow a small variance. sum:
 * [features], zero. */
static void
fit_standard(const Samples *samples, Normalizer *normalizer, double *sum)
{
    size_t features = normalizer->features;
    double n = (double)samples->count;
    const float *first = sample(samples, 0);
    for (size_t i = 0; i < samples->count; i++) {
        for (size_t j = 0; j < features; j++)
            sum[j] += (double)sample(samples, i)[j] - (double)first[j];
    }
    double *squares = ARRAY(double, features);
    for (size_t i = 0; i < samples->count; i++) {
        for (size_t j = 0; j < features; j++) {
            double difference = (double)sample(samples, i)[j] - ((double)first[j] + sum[j] / n);
            squares[j] += difference * difference;
        }
    }
    for (size_t j = 0; j < features; j++) {
        normalizer->mean[j] = (float)((double)first[j] + sum[j] / n);
        normalizer->scale[j] = reciprocal(sqrt(squares[j] / n));
    }
    array_free(squares);
}

/* Minimum and 1 / (maximum - minimum). high: [features]. */
static void
fit_minmax(const Samples *samples, Normalizer *normalizer, double *high)
{
    for (size_t j = 0; j < normalizer->features; j++) {
        normalizer->mean[j] = sample(samples, 0)[j];
        high[j] = (double)sample(samples, 0)[j];
    }
    for (size_t i = 1; i < samples->count; i++) {
        for (size_t j = 0; j < normalizer->features; j++) {
            float x = sample(samples, i)[j];
            normalizer->mean[j] = fminf(normalizer->mean[j], x);
            high[j] = fmax(high[j], (double)x);
        }
    }
    for (size_t j = 0; j < normalizer->features; j++)
        normalizer->scale[j] = reciprocal(high[j] - (double)normalizer->mean[j]);
}

static bool
check(const Samples *samples, Error *error)
{
    if (samples->count == 0)
        return error_set(error, "a normalizer needs at least one training sample");
    for (size_t i = 0; i < samples->count; i++) {
        if (samples->index[i] >= samples->dataset->count)
            return error_set(error, "training sample %zu does not exist: %s has %zu samples", samples->index[i],
                             samples->dataset->name, samples->dataset->count);
    }
    return true;
}

bool
normalizer_fit(const Dataset *dataset, const size_t *train, size_t count, NormalizerKind kind, Normalizer *normalizer,
               Error *error)
{
    const Samples samples = {dataset, train, count};
    *normalizer = (Normalizer){0};
    if (!check(&samples, error))
        return false;
    size_t features = dataset->features;
    *normalizer = (Normalizer){features, ARRAY(float, features), ARRAY(float, features)};
    double *scratch = ARRAY(double, features);
    if (kind == NORMALIZE_STANDARD)
        fit_standard(&samples, normalizer, scratch);
    else if (kind == NORMALIZE_MINMAX)
        fit_minmax(&samples, normalizer, scratch);
    else
        for (size_t j = 0; j < features; j++)
            normalizer->scale[j] = 1;
    array_free(scratch);
    return true;
}

void
normalizer_apply(const Normalizer *normalizer, Dataset *dataset)
{
    CHECK_THAT(normalizer->features == dataset->features, "fitted on %zu features, applied to %zu",
               normalizer->features, dataset->features);
    for (size_t i = 0; i < dataset->count; i++) {
        float *x = dataset->x + i * dataset->features;
        for (size_t j = 0; j < dataset->features; j++) /* in double: x - mean may leave the range of a float */
            x[j] = (float)(((double)x[j] - (double)normalizer->mean[j]) * (double)normalizer->scale[j]);
    }
}

void
normalizer_free(Normalizer *normalizer)
{
    array_free(normalizer->mean);
    array_free(normalizer->scale);
    *normalizer = (Normalizer){0};
}
