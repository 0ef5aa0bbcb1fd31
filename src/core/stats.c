/* What a list of measurements says.
 * SPDX-License-Identifier: MIT */
#include "core/stats.h"
#include "core/array.h"
#include "core/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 2000 };

static int
compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A sorted copy; the caller frees. NULL if there is a NaN, which has no place in an order. */
static double *
sorted_copy(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(x[i]))
            return NULL;
    double *copy = ARRAY(double, n);
    memcpy(copy, x, n * sizeof(double));
    qsort(copy, n, sizeof(double), compare_doubles);
    return copy;
}

/* The q-quantile of the sorted values, interpolated between neighbours (Hyndman and Fan's
 * definition 7). */
static double
quantile(const double *sorted, size_t n, double q)
{
    double position = q * (double)(n - 1);
    size_t i = (size_t)position;
    if (i + 1 >= n || sorted[i] == sorted[i + 1])
        return sorted[i];
    double part = position - (double)i;
    return part == 0 ? sorted[i] : (1 - part) * sorted[i] + part * sorted[i + 1];
}

Stats
stats_of(const double *x, size_t n)
{
    double *sorted = sorted_copy(x, n);
    if (!sorted)
        return (Stats){n, NAN, NAN, NAN, NAN, NAN, NAN};
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += sorted[i];
    Stats stats = {
        .count = n,
        .min = sorted[0],
        .median = quantile(sorted, n, 0.5),
        .mean = sum / (double)n,
        .max = sorted[n - 1],
        .low = quantile(sorted, n, 0.25),
        .high = quantile(sorted, n, 0.75),
    };
    array_free(sorted);
    return stats;
}

double
stats_median(const double *x, size_t n)
{
    return stats_of(x, n).median;
}

double
stats_spread(const Stats *stats)
{
    return (stats->high - stats->low) / stats->median;
}

/* The median of n values drawn with replacement from the n sorted ones. Instead of sorting the draw, counts how often
 * each value was drawn (times[n] is scratch) and walks to the middle. */
static double
resampled_median(const double *sorted, size_t n, size_t *times, Rng *rng)
{
    memset(times, 0, n * sizeof(size_t));
    for (size_t i = 0; i < n; i++)
        times[rng_below(rng, n)]++;
    const size_t low_rank = (n - 1) / 2, high_rank = n / 2; /* the same one if n is odd */
    size_t seen = 0, i = 0;
    while ((seen += times[i]) <= low_rank)
        i++;
    const double low = sorted[i];
    while (seen <= high_rank)
        seen += times[++i];
    return low + (sorted[i] - low) / 2;
}

Interval
stats_ratio(const double *a, const double *b, size_t n, uint64_t seed)
{
    double *ratio = ARRAY(double, n);
    for (size_t i = 0; i < n; i++)
        ratio[i] = a[i] / b[i];
    double *sorted = sorted_copy(ratio, n);
    array_free(ratio);
    if (!sorted)
        return (Interval){NAN, NAN, NAN};

    Rng rng = rng_create(seed, 0);
    double *medians = ARRAY(double, RESAMPLES);
    size_t *times = ARRAY(size_t, n);
    for (size_t i = 0; i < RESAMPLES; i++)
        medians[i] = resampled_median(sorted, n, times, &rng);
    qsort(medians, RESAMPLES, sizeof(double), compare_doubles);
    Interval interval = {
        .value = quantile(sorted, n, 0.5),
        .low = quantile(medians, RESAMPLES, 0.025),
        .high = quantile(medians, RESAMPLES, 0.975),
    };
    array_free(times);
    array_free(medians);
    array_free(sorted);
    return interval;
}
