/* The ladders of the operations that memory bounds: each verifies its own rungs, on sizes that fill no vector, and rejects what is
 * not right. SPDX-License-Identifier: MIT */
#include "core/stats.h"
#include "ladder/bound.h"
#include "tests/cpu/ladder_case.h"

static void
verify(const Ladder *ladder, const int *size)
{
    ladder_check(ladder, size, true);
}

/* An output of zeros, and one that was not written. */
static void
reject(const Ladder *ladder, const int *size)
{
    Problem problem;
    ck_assert(problem_create(&problem, ladder, size, 11, &error));
    problem_begin(&problem);
    problem_run(&problem, &ladder->rungs[0]);
    memset(problem.output.x, 0, problem.outputs * sizeof(float));
    Verdict verdict = problem_compare(&problem);
    ck_assert_msg(!verdict_ok(&verdict), "%s takes zeros", ladder->operation.name);
    problem_begin(&problem);
    problem_run(&problem, &ladder->rungs[0]);
    problem.output.x[problem.outputs / 2] *= 1.001f; /* not a zero of a gradient: this one is somewhere */
    problem.output.x[0] += 0.01f;
    verdict = problem_compare(&problem);
    ck_assert_msg(!verdict_ok(&verdict), "%s takes a wrong number", ladder->operation.name);
    problem_free(&problem);
}

static const Ladder *const elementwise[] = {
    &sigmoid_ladder,       &tanh_ladder,          &relu_ladder, &sigmoid_gradient_ladder,
    &tanh_gradient_ladder, &relu_gradient_ladder, &sgd_ladder,  &momentum_ladder,
    &adam_ladder};

TEST(element_by_element)
{
    static const int sizes[] = {0, 1, 15, 16, 17, 101, 1009};
    for (size_t l = 0; l < COUNT(elementwise); l++) {
        for (int s = 0; s < 7; s++)
            verify(elementwise[l], &sizes[s]);
        reject(elementwise[l], &sizes[5]);
    }
}

TEST(by_rows_and_channels)
{
    static const Ladder *const ladders[] = {&batch_norm_ladder,          &batch_norm_infer_ladder,
                                            &batch_norm_gradient_ladder, &layer_norm_ladder,
                                            &layer_norm_gradient_ladder, &softmax_ladder};
    static const int sizes[][2] = {{1, 1}, {2, 3}, {7, 16}, {16, 17}, {101, 33}, {3, 1009}, {1009, 3}};
    for (int l = 0; l < 6; l++) {
        for (int s = 0; s < 7; s++)
            verify(ladders[l], sizes[s]);
        reject(ladders[l], sizes[4]);
    }
    verify(&softmax_ladder, (int[]){0, 5});
    verify(&layer_norm_ladder, (int[]){0, 5});
}

TEST(by_windows)
{
    static const Ladder *const ladders[] = {&max_pool_ladder, &max_pool_gradient_ladder, &average_pool_ladder,
                                            &average_pool_gradient_ladder};
    static const int sizes[][7] = {{1, 1, 1, 1, 1, 1, 0}, {2, 5, 7, 3, 2, 2, 0},   {1, 9, 8, 17, 3, 2, 1},
                                   {3, 7, 7, 6, 3, 1, 1}, {2, 11, 5, 16, 2, 3, 0}, {0, 4, 4, 4, 2, 2, 0}};
    for (int l = 0; l < 4; l++) {
        for (int s = 0; s < 6; s++)
            verify(ladders[l], sizes[s]);
        reject(ladders[l], sizes[2]);
    }
}

TEST(impossible_sizes_are_refused)
{
    static const int windows[][7] = {{1, 4, 4, 1, 0, 1, 0}, {1, 4, 4, 1, 2, 0, 0}, {1, 4, 4, 1, 2, 1, 2}};
    Problem problem;
    for (int i = 0; i < 3; i++) {
        ck_assert_refused(problem_create(&problem, &max_pool_ladder, windows[i], 1, &error), "kernel");
        ck_assert(!problem_create(&problem, &average_pool_gradient_ladder, windows[i], 1, &error));
    }
    ck_assert_refused(problem_create(&problem, &softmax_ladder, (int[]){3, 0}, 1, &error), "at least 1");
}

/* From memory the bound is that of the triad, interleaved with the rungs; in a cache that of reading. */
TEST(the_bound_is_the_triad)
{
    Machine machine = {.capacity = {1 << 10, 1 << 12, 1 << 14}, .chain = 1e-9};
    machine.one = (MachinePeaks){.threads = 1, .fma = 1e12, .read = {8e11, 4e11, 2e11, 1e11}, .triad = 5e10};
    machine.all = machine.one;
    ck_assert(machine_triad(&machine, 1) == 5e10);
    const LadderPlan plan = {.threads = 1, .rounds = 3, .seed = 1, .machine = &machine};
    const Ladder *const ladders[] = {&adam_ladder, &relu_ladder};
    const double bytes[] = {280000, 80000};
    for (int i = 0; i < 2; i++) {
        LadderTable *table = ladder_measure(ladders[i], (int[]){10000}, &plan, &error);
        ck_assert(ladder_table_ok(table));
        ck_assert_double_eq_tol(table->bound * stats_median(table->roof_rate, 3), bytes[i], 1e-6 * bytes[i]);
        for (int round = 0; round < 3; round++)
            table->roof_rate[round] = 1e9 * (1 + round);
        ck_assert_double_eq_tol(bound_seconds(table, &machine), bytes[i] / 2e9, 1e-12);
        table->rounds = 0; /* nothing was interleaved */
        ck_assert_double_eq_tol(bound_seconds(table, &machine), bytes[i] / 5e10, 1e-12);
        ladder_table_free(table);
    }
    LadderTable *table = ladder_measure(&adam_ladder, (int[]){30}, &plan, &error);
    ck_assert_ptr_null(table->roof_rate);
    ck_assert_double_eq_tol(table->bound, 840 / 8e11, 1e-15);
    ladder_table_free(table);
}

TEST_MAIN("memory ladders")
