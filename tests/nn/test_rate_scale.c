/* The learning rate of larger batches (nn/rate_scale.h).
 * SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "nn/rate_scale.h"
#include "nn/schedule.h"
#include "tests/testing.h"

TEST(names_are_read)
{
    static const char *const names[] = {"none", "linear", "sqrt"};
    for (int i = 0; i < 3; i++) {
        RateScale scale = (RateScale)((i + 1) % 3);
        ck_assert(rate_scale_from_name(names[i], &scale, NULL));
        ck_assert(scale == (RateScale)i);
    }
}

TEST(other_names_are_refused)
{
    static const char *const names[] = {"", "Linear", "linear ", "sqr", "square root"};
    for (size_t i = 0; i < COUNT(names); i++) {
        RateScale scale = RATE_SCALE_SQRT;
        ck_assert_refused(rate_scale_from_name(names[i], &scale, &error), "use none, linear or sqrt");
        ck_assert(scale == RATE_SCALE_SQRT);
    }
}

TEST(rates_are_those_of_the_papers)
{
    ck_assert(rate_for_batch(RATE_SCALE_NONE, 0.1, 32) == 0.1);
    ck_assert_double_eq_tol(rate_for_batch(RATE_SCALE_LINEAR, 0.1, 32), 3.2, 1e-12); /* Goyal: 8192 instead of 256 */
    ck_assert_double_eq_tol(rate_for_batch(RATE_SCALE_SQRT, 0.1, 16), 0.4, 1e-12);
    for (int scale = 0; scale <= RATE_SCALE_SQRT; scale++)
        ck_assert(rate_for_batch((RateScale)scale, 0.3, 1) == 0.3);
}

/* Goyal's reference: 0.1 for 256 samples, 3.2 for 8192, reached by a line over 5 of 90 epochs. */
TEST(warm_up_leads_to_the_scaled_rate)
{
    Schedule schedule;
    ck_assert(schedule_parse("warmup:5+constant", &schedule, NULL));
    const double base = rate_for_batch(RATE_SCALE_LINEAR, 0.1, 32);
    ck_assert_double_eq_tol(schedule_rate(&schedule, base, 0, 90), 0.64, 1e-12);
    ck_assert_double_eq_tol(schedule_rate(&schedule, base, 4, 90), 3.2, 1e-12);
    ck_assert_double_eq_tol(schedule_rate(&schedule, base, 89, 90), 3.2, 1e-12);
}

/* A sample's gradient is noise of variance 1: at the square root's rate the step of a batch of p samples has the variance of one
 * sample's step, whatever p; at the linear rate p times as much. */
TEST(square_root_keeps_the_variance_of_a_step)
{
    enum { WORKERS = 16, STEPS = 4000 };
    static float noise[STEPS * WORKERS];
    rng_fill_normal(11, 1, 0, noise, STEPS * WORKERS, 0, 1);
    const double sqrt_rate = rate_for_batch(RATE_SCALE_SQRT, 0.5, WORKERS);
    const double linear_rate = rate_for_batch(RATE_SCALE_LINEAR, 0.5, WORKERS);
    double variance = 0;
    for (int s = 0; s < STEPS; s++) {
        double mean = 0;
        for (int i = 0; i < WORKERS; i++)
            mean += (double)noise[s * WORKERS + i] / WORKERS;
        variance += mean * mean / STEPS;
    }
    ck_assert_double_eq_tol(sqrt_rate * sqrt_rate * variance, 0.25, 0.03);
    ck_assert_double_eq_tol(linear_rate * linear_rate * variance, 0.25 * WORKERS, 0.03 * WORKERS);
}

TEST_MAIN("rate_scale")
