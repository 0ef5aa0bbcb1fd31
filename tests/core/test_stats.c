/* What a list of measurements says. SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "core/stats.h"
#include "tests/testing.h"

TEST(median_of_odd_and_even)
{
    ck_assert_double_eq(stats_median((double[]){3, 1, 2}, 3), 2);
    ck_assert_double_eq(stats_median((double[]){4, 1, 3, 2}, 4), 2.5);
    ck_assert_double_eq(stats_median((double[]){7}, 1), 7);
    ck_assert_double_eq(stats_median((double[]){1, 2}, 2), 1.5);
}

TEST(all_values_of_a_small_list)
{
    const double x[5] = {5, 3, 1, 2, 4};
    const Stats stats = stats_of(x, 5);
    ck_assert_uint_eq(stats.count, 5);
    ck_assert_double_eq(stats.min, 1);
    ck_assert_double_eq(stats.low, 2);
    ck_assert_double_eq(stats.median, 3);
    ck_assert_double_eq(stats.mean, 3);
    ck_assert_double_eq(stats.high, 4);
    ck_assert_double_eq(stats.max, 5);
    ck_assert_double_eq(stats_spread(&stats), 2.0 / 3);
    ck_assert_double_eq(x[0], 5); /* not sorted in place */
}

TEST(quartiles_are_interpolated)
{
    const Stats stats = stats_of((double[]){1, 2, 3, 4}, 4);
    ck_assert_double_eq(stats.low, 1.75);
    ck_assert_double_eq(stats.high, 3.25);
}

TEST(one_value_is_everything)
{
    const Stats stats = stats_of((double[]){-2}, 1);
    ck_assert(stats.min == -2 && stats.median == -2 && stats.mean == -2 && stats.max == -2);
    ck_assert(stats.low == -2 && stats.high == -2);
}

TEST(nan_makes_everything_nan)
{
    const Stats stats = stats_of((double[]){1, NAN, 3}, 3);
    ck_assert(isnan(stats.min) && isnan(stats.median) && isnan(stats.mean) && isnan(stats.max));
    ck_assert(isnan(stats.low) && isnan(stats.high));
    const Interval ratio = stats_ratio((double[]){1, NAN, 3}, (double[]){1, 1, 1}, 3, 0);
    ck_assert(isnan(ratio.value) && isnan(ratio.low) && isnan(ratio.high));
}

TEST(infinities_are_values)
{
    const Stats stats = stats_of((double[]){INFINITY, 1, 2}, 3);
    ck_assert_double_eq(stats.median, 2);
    ck_assert(isinf(stats.max) && isinf(stats.mean));
}

TEST(ratio_of_equal_pairs_is_exact)
{
    const double a[4] = {2, 4, 6, 8}, b[4] = {1, 2, 3, 4};
    const Interval ratio = stats_ratio(a, b, 4, 1);
    ck_assert(ratio.value == 2 && ratio.low == 2 && ratio.high == 2);
    const Interval one = stats_ratio(a, b, 1, 1);
    ck_assert(one.value == 2 && one.low == 2 && one.high == 2);
}

TEST(ratio_repeats_under_a_seed)
{
    double a[31], b[31];
    for (uint64_t i = 0; i < 31; i++) {
        a[i] = 1 + rng_uniform_at(1, 0, i);
        b[i] = 1 + rng_uniform_at(1, 1, i);
    }
    const Interval first = stats_ratio(a, b, 31, 5), second = stats_ratio(a, b, 31, 5),
                   other = stats_ratio(a, b, 31, 6);
    ck_assert(first.low == second.low && first.high == second.high);
    ck_assert(first.value == other.value);
    ck_assert(first.low != other.low || first.high != other.high);
    ck_assert(first.low <= first.value && first.value <= first.high && first.low < first.high);
}

/* The interval of 95 % holds the true ratio in about 95 of 100 experiments. */
TEST(ratio_interval_covers_the_truth)
{
    int covered = 0;
    for (uint64_t trial = 0; trial < 200; trial++) {
        double a[25], b[25];
        for (uint64_t i = 0; i < 25; i++) {
            const double disturbance = exp(rng_normal_at(trial, 0, i)); /* of both */
            a[i] = 3 * disturbance * exp(0.05 * rng_normal_at(trial, 1, i));
            b[i] = disturbance;
        }
        const Interval ratio = stats_ratio(a, b, 25, trial);
        covered += ratio.low <= 3 && 3 <= ratio.high;
    }
    ck_assert_int_ge(covered, 178);
    ck_assert_int_le(covered, 200);
}

TEST_MAIN("stats")
