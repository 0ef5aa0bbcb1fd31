/* Learning-rate schedules: their text, and the rates at the places that matter.
 * SPDX-License-Identifier: MIT */
#include "nn/schedule.h"
#include "tests/testing.h"

static double
rate(const char *text, uint64_t step, uint64_t total)
{
    Schedule schedule;
    ck_assert_ok(schedule_parse(text, &schedule, &error));
    return schedule_rate(&schedule, 2, step, total);
}

TEST(texts_read_back)
{
    static const char *const texts[] = {"constant",
                                        "step:30:0.1",
                                        "step:12.5%:0.5",
                                        "cosine",
                                        "cosine:0.01",
                                        "linear",
                                        "linear:0.25",
                                        "warmup:5%+cosine",
                                        "warmup:500+step:30:0.1",
                                        "warmup:7+constant",
                                        "warmup:0.1%+linear:1e-05",
                                        "step:1:0.333333333333333315"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        Schedule read, again;
        char text[SCHEDULE_TEXT_SIZE], second[SCHEDULE_TEXT_SIZE];
        ck_assert_msg(schedule_parse(texts[i], &read, NULL), "%s", texts[i]);
        schedule_print(&read, text);
        ck_assert_msg(schedule_parse(text, &again, NULL), "%s was printed as %s", texts[i], text);
        ck_assert_str_eq(schedule_print(&again, second), text);
        ck_assert(again.kind == read.kind && again.factor == read.factor && again.end == read.end);
        ck_assert(again.warmup.value == read.warmup.value && again.warmup.percent == read.warmup.percent);
        ck_assert(again.every.value == read.every.value && again.every.percent == read.every.percent);
        if (i < 11)
            ck_assert_str_eq(text, texts[i]);
    }
}

TEST(the_longest_text_fits)
{
    const Schedule schedule = {SCHEDULE_STEP, {100.0 / 3, true}, 0.1 + 0.2, 0, {200.0 / 3, true}};
    char text[SCHEDULE_TEXT_SIZE];
    Schedule again;
    ck_assert(schedule_parse(schedule_print(&schedule, text), &again, NULL));
    ck_assert(again.every.value == 100.0 / 3 && again.factor == 0.1 + 0.2 && again.warmup.value == 200.0 / 3);
}

TEST(wrong_texts_are_refused)
{
    static const char *const texts[] = {"",
                                        "cosinus",
                                        "Cosine",
                                        "cosine:",
                                        "cosine:2",
                                        "cosine:-1",
                                        "cosine:nan",
                                        "cosine:0x1",
                                        "cosine 0.1",
                                        "cosine+",
                                        "constant:1",
                                        "step",
                                        "step:10",
                                        "step:0:0.1",
                                        "step:1.5:0.1",
                                        "step:10:0",
                                        "step:10:-1",
                                        "step:10:0.1:2",
                                        "step:101%:0.1",
                                        "step:0%:0.5",
                                        "step:inf:1",
                                        "warmup:5%",
                                        "warmup:5%+",
                                        "warmup+cosine",
                                        "warmup:0+cosine",
                                        "warmup:-5+cosine",
                                        "warmup:5%+warmup:5%+cosine",
                                        "cosine+warmup:5%",
                                        "linear:1.5",
                                        " cosine",
                                        "cosine ",
                                        "step:1e999:0.1",
                                        "step:10:1e999"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        Schedule schedule = {.kind = SCHEDULE_LINEAR, .end = 0.75};
        ck_assert_refused(schedule_parse(texts[i], &schedule, &error), texts[i]);
        ck_assert_ok(strstr(error.text, "use constant"));
        ck_assert(schedule.kind == SCHEDULE_LINEAR && schedule.end == 0.75);
    }
    char long_text[2000];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    Schedule schedule;
    ck_assert(!schedule_parse(long_text, &schedule, NULL));
}

TEST(all_zero_is_constant)
{
    const Schedule schedule = {0};
    char text[SCHEDULE_TEXT_SIZE];
    ck_assert_str_eq(schedule_print(&schedule, text), "constant");
    ck_assert(schedule_rate(&schedule, 0.25, 0, 10) == 0.25);
    ck_assert(schedule_rate(&schedule, 0.25, 99, 10) == 0.25);
}

TEST(step_falls_at_its_spans)
{
    ck_assert(rate("step:10:0.5", 9, 100) == 2);
    ck_assert(rate("step:10:0.5", 10, 100) == 1);
    ck_assert(rate("step:10:0.5", 29, 100) == 0.5);
    ck_assert(rate("step:30%:0.5", 29, 100) == 2);
    ck_assert(rate("step:30%:0.5", 30, 100) == 1);
    ck_assert(rate("step:30%:0.5", 99, 100) == 0.25);
}

TEST(cosine_goes_from_base_to_end)
{
    ck_assert(rate("cosine", 0, 100) == 2);
    ck_assert_double_eq_tol(rate("cosine", 50, 100), 1, 1e-12);
    ck_assert_double_eq_tol(rate("cosine:0.5", 50, 100), 1.5, 1e-12);
    ck_assert_double_lt(rate("cosine", 99, 100), 0.001);
    ck_assert(rate("cosine:1", 70, 100) == 2);
}

TEST(linear_is_a_line)
{
    ck_assert(rate("linear", 0, 4) == 2);
    ck_assert(rate("linear", 1, 4) == 1.5);
    ck_assert(rate("linear:0.5", 2, 4) == 1.5);
}

TEST(warmup_rises_to_the_base)
{
    ck_assert(rate("warmup:4+constant", 0, 100) == 0.5);
    ck_assert(rate("warmup:4+constant", 3, 100) == 2);
    ck_assert(rate("warmup:4+constant", 4, 100) == 2);
    ck_assert(rate("warmup:4%+cosine", 1, 100) == 1);
    ck_assert(rate("warmup:4%+cosine", 4, 100) == 2);
    ck_assert_double_eq_tol(rate("warmup:20+cosine", 60, 100), 1, 1e-12); /* half of the 80 that remain */
    ck_assert(rate("warmup:20+step:10:0.5", 30, 100) == 1);
    ck_assert(rate("warmup:1000+cosine", 50, 100) == 2.0 * 51 / 100); /* never over: it takes all steps */
}

TEST(after_the_end_the_last_rate_stays)
{
    ck_assert(rate("linear", 4, 4) == rate("linear", 3, 4));
    ck_assert(rate("cosine", 1000, 10) == rate("cosine", 9, 10));
    ck_assert(rate("warmup:2+linear", 1000, 10) == rate("warmup:2+linear", 9, 10));
}

TEST(rates_are_finite_and_positive_everywhere)
{
    static const char *const texts[] = {"constant", "step:3:0.5",       "step:30%:0.5",        "cosine",
                                        "linear",   "warmup:5%+cosine", "warmup:3+linear:0.1", "warmup:100%+cosine"};
    for (size_t i = 0; i < COUNT(texts); i++)
        for (uint64_t total = 0; total < 12; total++)
            for (uint64_t step = 0; step < 15; step++) {
                const double r = rate(texts[i], step, total);
                ck_assert_msg(r >= 0 && r <= 2, "%s: step %d of %d: %g", texts[i], (int)step, (int)total, r);
                ck_assert(total == 0 || r > 0);
            }
}

TEST_MAIN("schedule")
