/* The driver on a ladder of its own: what is skipped, what is compared with what, what is refused.
 * SPDX-License-Identifier: MIT */
#include "tests/ladder/scale.h"
#include "tests/testing.h"
#include <limits.h>

static LadderTable *
measure_with(LadderPlan plan, int n)
{
    const int size[LADDER_DIMENSIONS] = {n};
    LadderTable *table = ladder_measure(&scale_ladder, size, &plan, &error);
    ck_assert_ok(table);
    return table;
}

static LadderTable *
measure(int n)
{
    return measure_with((LadderPlan){.threads = 1, .rounds = 5, .sample_seconds = 1e-5, .seed = 1}, n);
}

TEST(every_rung_has_a_row_in_its_order)
{
    LadderTable *table = measure(8);
    ck_assert_int_eq(table->count, scale_ladder.count);
    for (int i = 0; i < table->count; i++)
        ck_assert_ptr_eq(table->rows[i].rung, &scale_rungs[i]);
    ck_assert_double_eq(table->flops, 8.0);
    ck_assert_double_eq(table->bytes, 64.0);
    ck_assert_int_eq(table->rounds, 5);
    ladder_table_free(table);
}

TEST(a_size_that_a_rung_refuses_is_skipped_with_the_reason)
{
    LadderTable *table = measure(7);
    ck_assert_int_eq(table->rows[1].state, ROW_SKIPPED);
    ck_assert_str_eq(table->rows[1].reason, "n must be a multiple of 4, not 7");
    ck_assert_ptr_null(table->rows[1].seconds);
    ck_assert_int_eq(table->rows[2].state, ROW_MEASURED);
    ck_assert_str_eq(table->rows[2].before.with->name, "slow"); /* the last rung that was measured */
    ck_assert(ladder_table_ok(table));                          /* skipped is not wrong */
    ladder_table_free(table);
}

TEST(a_wrong_rung_is_wrong_and_the_others_are_measured)
{
    LadderTable *table = measure(8);
    ck_assert_int_eq(table->rows[1].state, ROW_WRONG); /* scale_fours repeats every fourth element */
    ck_assert_ptr_nonnull(strstr(table->rows[1].reason, "before timing: 6 of 8 wrong, first [1]: got "));
    ck_assert(!ladder_table_ok(table));
    ck_assert_int_eq(table->rows[0].state, ROW_MEASURED);
    ck_assert_int_eq(table->rows[2].state, ROW_MEASURED);
    ladder_table_free(table);
}

TEST(samples_are_positive_and_their_statistics_are_in_order)
{
    LadderTable *table = measure(100);
    const LadderRow *row = &table->rows[0];
    for (int i = 0; i < table->rounds; i++)
        ck_assert(row->seconds[i] > 0.0 && isfinite(row->seconds[i]));
    ck_assert_uint_eq(row->time.count, 5);
    ck_assert(row->time.min <= row->time.low && row->time.low <= row->time.median);
    ck_assert(row->time.median <= row->time.high && row->time.high <= row->time.max);
    ck_assert_uint_ge(row->calls, 1);
    ck_assert_double_eq(row->error, 0.0);
    ladder_table_free(table);
}

TEST(ratios_are_with_the_lowest_the_one_before_and_the_peer)
{
    LadderTable *table = measure(1001);
    const LadderRow *slow = &table->rows[0], *fast = &table->rows[2], *library = &table->rows[3];
    ck_assert_ptr_null(slow->naive.with); /* nothing is compared with itself */
    ck_assert_ptr_null(slow->before.with);
    ck_assert_str_eq(slow->peer.with->name, "library");
    ck_assert_str_eq(fast->naive.with->name, "slow");
    ck_assert_str_eq(fast->before.with->name, "slow");
    ck_assert_str_eq(library->naive.with->name, "slow");
    ck_assert_ptr_null(library->before.with); /* a peer is no rung */
    ck_assert_ptr_null(library->peer.with);
    ck_assert(fast->naive.ratio.low <= fast->naive.ratio.value && fast->naive.ratio.value <= fast->naive.ratio.high);
    ck_assert(fast->naive.ratio.value > 1.0); /* 1 pass against 50: no other process makes up for that */
    ck_assert_int_eq(fast->naive.wide, fast->naive.ratio.high - fast->naive.ratio.low > 0.1 * fast->naive.ratio.value);
    ck_assert(!fast->naive.noisy || fast->naive.ratio.low <= 1.0);
    ladder_table_free(table);
}

TEST(only_selected_rungs_are_measured)
{
    const bool selected[4] = {false, false, true, false};
    LadderTable *table =
        measure_with((LadderPlan){.threads = 1, .rounds = 2, .sample_seconds = 1e-5, .selected = selected}, 5);
    ck_assert_int_eq(table->count, 1);
    ck_assert_str_eq(table->rows[0].rung->name, "fast");
    ck_assert_ptr_null(table->rows[0].naive.with);
    ck_assert_ptr_null(table->rows[0].peer.with);
    ladder_table_free(table);
}

TEST(without_a_machine_nothing_is_predicted)
{
    LadderTable *table = measure(5);
    ck_assert(isnan(table->bound));
    for (int i = 0; i < table->count; i++)
        ck_assert(isnan(table->rows[i].predicted));
    ladder_table_free(table);
}

TEST(nothing_is_measured_at_size_zero_but_all_is_verified)
{
    LadderTable *table = measure(0);
    ck_assert(ladder_table_ok(table));
    ck_assert(isnan(table->bound));
    ladder_table_free(table);
}

TEST(an_impossible_size_gets_a_sentence)
{
    const LadderPlan plan = {.threads = 1, .rounds = 1};
    const int large[LADDER_DIMENSIONS] = {1000001}, negative[LADDER_DIMENSIONS] = {-3};
    ck_assert_ptr_null(ladder_measure(&scale_ladder, large, &plan, &error));
    ck_assert_str_eq(error.text, "scale 1000001: at most 1000000 elements");
    ck_assert_ptr_null(ladder_measure(&scale_ladder, negative, &plan, &error));
    ck_assert_str_eq(error.text, "size 1 of scale is -3, but must be 0 or more");
}

TEST(the_same_seed_gives_the_same_inputs_and_another_round_others)
{
    Problem a, b;
    const int size[LADDER_DIMENSIONS] = {9};
    ck_assert(problem_create(&a, &scale_ladder, size, 4, &error));
    ck_assert(problem_create(&b, &scale_ladder, size, 4, &error));
    ck_assert_mem_eq(a.want, b.want, 9 * sizeof(double));
    problem_refresh(&b, 1);
    for (int i = 0; i < 9; i++)
        ck_assert_double_ne(a.want[i], b.want[i]);
    problem_refresh(&a, 1);
    ck_assert_mem_eq(a.want, b.want, 9 * sizeof(double));
    problem_free(&a);
    problem_free(&b);
}

TEST(an_old_result_is_wrong_after_a_refresh)
{
    Problem problem;
    const int size[LADDER_DIMENSIONS] = {9};
    ck_assert(problem_create(&problem, &scale_ladder, size, 4, &error));
    Verdict verdict = problem_verify(&problem, &scale_rungs[2]);
    ck_assert(verdict_ok(&verdict));
    problem_refresh(&problem, 1);
    verdict = problem_compare(&problem);
    ck_assert_uint_eq(verdict.wrong, 9);
    problem_free(&problem);
}

/* ---- what a command line may ask -------------------------------------------------------------------------------------- */

/* Two dimensions. */
static Ladder
matrix_ladder(void)
{
    Ladder ladder = scale_ladder;
    ladder.operation.dimension_count = 2;
    ladder.operation.dimensions = "MxN";
    return ladder;
}

TEST(sizes_are_one_number_or_one_each)
{
    int sizes[4][LADDER_DIMENSIONS];
    const Ladder ladder = matrix_ladder();
    ck_assert_int_eq(ladder_parse_sizes(&ladder, "256,1003x999,0,2147483647x1", 4, sizes, &error), 4);
    ck_assert(sizes[0][0] == 256 && sizes[0][1] == 256);
    ck_assert(sizes[1][0] == 1003 && sizes[1][1] == 999);
    ck_assert(sizes[2][0] == 0 && sizes[2][1] == 0);
    ck_assert(sizes[3][0] == INT_MAX && sizes[3][1] == 1);
    char text[64];
    ck_assert_str_eq(ladder_size_text(&ladder, sizes[1], text), "1003x999");
}

TEST(what_is_no_size_is_refused)
{
    static const char *const wrong[] = {"",     ",",   "x",     "3x",   "x3",   "3,,4",
                                        "3,",   "-3",  "3x4x5", "3x-4", "3 ,4", "2147483648",
                                        "0x10", "3*4", "1e3",   "abc",  " 3",   "99999999999999999999"};
    const Ladder ladder = matrix_ladder();
    for (size_t i = 0; i < COUNT(wrong); i++) {
        if (strcmp(wrong[i], "0x10") == 0)
            continue; /* is 0 rows of 10 columns */
        int sizes[4][LADDER_DIMENSIONS];
        ck_assert_refused(ladder_parse_sizes(&ladder, wrong[i], 4, sizes, &error),
                          "is not a list of sizes of scale: each is MxN");
    }
}

TEST(too_many_sizes_are_refused)
{
    int sizes[2][LADDER_DIMENSIONS];
    const Ladder ladder = matrix_ladder();
    ck_assert_int_eq(ladder_parse_sizes(&ladder, "1,2", 2, sizes, &error), 2);
    ck_assert_refused(ladder_parse_sizes(&ladder, "1,2,3", 2, sizes, &error), "more than 2 sizes");
}

TEST(rungs_are_chosen_by_name)
{
    bool selected[4];
    ck_assert(ladder_parse_rungs(&scale_ladder, "fast,slow", selected, &error));
    ck_assert(selected[0] && !selected[1] && selected[2] && !selected[3]);
    ck_assert(ladder_parse_rungs(&scale_ladder, "all", selected, &error));
    ck_assert(selected[0] && selected[1] && selected[2] && selected[3]);
    ck_assert(!ladder_selects_all("fast,slow") && ladder_selects_all("all"));
    static const char *const with_all[] = {"fast,all", "all,slow", "slow,all,fast"};
    for (size_t i = 0; i < COUNT(with_all); i++) {
        ck_assert(ladder_selects_all(with_all[i]));
        ck_assert_ok(ladder_parse_rungs(&scale_ladder, with_all[i], selected, &error));
        ck_assert(selected[0] && selected[1] && selected[2] && selected[3]);
    }
    static const char *const wrong[] = {"",          "fas",       "fastt",    "fast,",   ",fast",
                                        "all,fastt", "fast,all,", "all slow", "allfast", "slow fast"};
    for (size_t i = 0; i < COUNT(wrong); i++)
        ck_assert_refused(ladder_parse_rungs(&scale_ladder, wrong[i], selected, &error),
                          "it has slow, fours, fast, library, or all");
}

TEST(a_wide_interval_is_noisy_only_around_one)
{
    const struct {
        Interval ratio;
        bool wide, noisy;
    } cases[] = {{{2.0, 1.95, 2.05}, false, false}, {{1.0, 0.97, 1.03}, false, false}, {{2.0, 1.5, 2.5}, true, false},
                 {{0.5, 0.3, 0.9}, true, false},    {{1.2, 0.9, 1.6}, true, true},     {{1.1, 1.0, 1.3}, true, true},
                 {{NAN, NAN, NAN}, true, true}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        Comparison comparison = {.ratio = cases[i].ratio};
        ladder_judge(&comparison);
        ck_assert_int_eq(comparison.wide, cases[i].wide);
        ck_assert_int_eq(comparison.noisy, cases[i].noisy);
    }
}

TEST_MAIN("ladder")
