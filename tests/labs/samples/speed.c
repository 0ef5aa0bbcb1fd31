/* A made-up lab whose tests are about speed, for test_speed.sh. Lab 90 grades samples that are written down here, so that its
 * points are known; lab 91 measures, so that only its outcomes are.
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "tests/labs/grade.h"
#include "tests/ladder/scale.h"
#include <math.h>
#include <signal.h>

enum { SAMPLES = 31 };
static const GradeScale one_to_four = {1, 4};

/* The interval of `times` as fast, where the samples are between `noise` times less and more than that. */
static Interval
fake(double times, double noise)
{
    double slow[SAMPLES], fast[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        slow[i] = 1 + 0.001 * i;
        fast[i] = slow[i] / times * pow(noise, 2.0 * i / (SAMPLES - 1) - 1);
    }
    return stats_ratio(slow, fast, SAMPLES, 1);
}

TEST(share_is_continuous)
{
    double before = grade_share(0.5, one_to_four);
    grade_that(before == 0, "below the scale: got %g", before);
    for (double ratio = 0.5; ratio < 8; ratio *= 1.001) {
        double share = grade_share(ratio, one_to_four);
        grade_that(share >= before && share - before < 0.001, "%g times: from %g to %g", ratio, before, share);
        before = share;
    }
    grade_that(before == 1, "above the scale: got %g", before);
    grade_that(isnan(grade_share(NAN, one_to_four)), "NaN has no share");
}

TEST_CALL(slower_than_none, grade_speed(fake(0.5, 1), one_to_four, "%d samples", SAMPLES))

/* 2 lies in the middle between 1 and 4, if each doubling is worth the same. */
TEST_CALL(half_of_it, grade_speed(fake(2, 1), one_to_four, "half"))
TEST_CALL(nearly_all, grade_speed(fake(3.9999, 1), one_to_four, "nearly all"))
TEST_CALL(faster_than_full, grade_speed(fake(5, 1), one_to_four, "all"))
TEST_CALL(noisy_but_fast_enough, grade_speed(fake(20, 2), one_to_four, "noisy, but fast enough whatever is true"))
TEST_CALL(too_noisy, grade_speed(fake(2, 1.5), one_to_four, "noisy"))
TEST_CALL(not_a_number, grade_speed((Interval){NAN, NAN, NAN}, one_to_four, "nothing measured"))

TEST(wrong_before_it_is_fast)
{
    grade_speed(fake(5, 1), one_to_four, "fast");
    grade_that(false, "fast, but wrong");
}

TEST(crashes_behind_it)
{
    grade_speed(fake(5, 1), one_to_four, "fast");
    raise(SIGSEGV);
}

TEST(twice)
{
    grade_speed(fake(5, 1), one_to_four, "fast");
    grade_speed(fake(5, 1), one_to_four, "fast");
}

/* ---- measured -------------------------------------------------------------------------------------------------------- */

static int calls; /* of a student's function, in this process */

static void
wrong_later(int n, const float *x, float *y)
{
    scale_fast(n, x, y);
    if (calls++ > 50)
        y[n / 2] = 0;
}

static void
crash_later(int n, const float *x, float *y)
{
    scale_fast(n, x, y);
    if (calls++ > 50)
        raise(SIGSEGV);
}

static void
endless_later(int n, const float *x, float *y)
{
    scale_fast(n, x, y);
    while (calls > 50)
        ((volatile float *)y)[0] = y[0];
    calls++;
}

static void
unsolved(int n, const float *x, float *y)
{
    (void)n, (void)x, (void)y;
    EXERCISE_NOT_SOLVED("91.5");
}

static bool
refuses(const int *size, Error *reason)
{
    return error_set(reason, "no size is good enough, %d neither", size[0]);
}

static void
grade_rung(Scale *function, bool (*accepts)(const int *, Error *))
{
    const Rung rungs[] = {scale_rungs[0],
                          {.name = "yours", .function = (LadderFunction *)function, .accepts = accepts}};
    const Ladder ladder = {.operation = scale_ladder.operation, .rungs = rungs, .count = 2};
    grade_ladder(&ladder, "yours", (int[]){1000}, 1, one_to_four);
}

TEST_CALL(measured, grade_rung(scale_fast, NULL))
TEST_CALL(measured_wrong, grade_rung(wrong_later, NULL))
TEST_CALL(measured_crash, grade_rung(crash_later, NULL))
TEST_CALL(measured_endless, grade_rung(endless_later, NULL))
TEST_CALL(measured_unsolved, grade_rung(unsolved, NULL))
TEST_CALL(measured_refused, grade_rung(scale_fast, refuses))

static const GradeTest fake_tests[] = {
    {"90.1", "the share is continuous", 10, &share_is_continuous, 5},
    {"90.1", "slower than none", 10, &slower_than_none, 5},
    {"90.1", "half of it", 10, &half_of_it, 5},
    {"90.1", "nearly all", 10, &nearly_all, 5},
    {"90.1", "faster than full", 10, &faster_than_full, 5},
    {"90.2", "noisy, but fast enough", 10, &noisy_but_fast_enough, 5},
    {"90.2", "too noisy", 20, &too_noisy, 5},
    {"90.3", "not a number", 30, &not_a_number, 5},
    {"90.4", "wrong behind it", 10, &wrong_before_it_is_fast, 5},
    {"90.4", "a crash behind it", 10, &crashes_behind_it, 5},
    {"90.4", "twice", 10, &twice, 5},
};
static GradeLab fake_lab = {"90", "speed, from samples", fake_tests, sizeof(fake_tests) / sizeof(fake_tests[0]), NULL};

GRADE_LAB("91", "speed, measured", {"91.1", "measured", 10, &measured, 60},
          {"91.2", "wrong in a timed call", 10, &measured_wrong, 60},
          {"91.3", "a crash in a timed call", 10, &measured_crash, 60},
          {"91.4", "an endless loop in a timed call", 10, &measured_endless, 3},
          {"91.5", "not solved", 10, &measured_unsolved, 60}, {"91.6", "refused", 10, &measured_refused, 60})

__attribute__((constructor)) static void
register_fake_lab(void)
{
    grade_register(&fake_lab);
}
