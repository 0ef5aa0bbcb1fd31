/* What a list of measurements says.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_STATS_H
#define CORE_STATS_H

#include <stddef.h>
#include <stdint.h>

typedef struct Stats {
    size_t count;
    double min, median, mean, max;
    double low, high; /* first and third quartile: half of the measurements are between them */
} Stats;

/* n >= 1. x is not changed. A NaN in x makes all results NaN. */
Stats stats_of(const double *x, size_t n);
double stats_median(const double *x, size_t n);

/* (high - low) / median: how much the middle half of the measurements differs. */
double stats_spread(const Stats *stats);

/* An estimate with its 95 % interval. */
typedef struct Interval {
    double value, low, high;
} Interval;

/* The median of the paired ratios a[i] / b[i], with a percentile bootstrap interval (Efron 1979; 2,000 resamples drawn
 * from the seed). a[i] and b[i] were measured one after the other, so what disturbs one disturbs the other. n >= 1. */
Interval stats_ratio(const double *a, const double *b, size_t n, uint64_t seed);

#endif
