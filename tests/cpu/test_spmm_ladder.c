/* The table of spmm: its problems, the dense peer, the models, and that it rejects broken versions.
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/ladders.h"
#include "cpu/spmm/models.h"
#include "cpu/spmm/packed.h"
#include "tests/testing.h"
#include "tests/wrong/spmm.h"
#include <math.h>
#include <string.h>

/* M, N, K, and the entries in 1000 places. */
static const int sizes[][LADDER_DIMENSIONS] = {
    {0, 0, 0, 0},      {0, 5, 7, 100},      {5, 0, 7, 100},     {5, 7, 0, 100},     {1, 1, 1, 1000},     {9, 33, 13, 0},
    {64, 64, 64, 100}, {37, 129, 301, 500}, {101, 10, 103, 50}, {16, 20, 11, 1000}, {150, 300, 1100, 90}};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

TEST(the_ladder_verifies_its_own_rungs_and_the_dense_peer)
{
    for (int s = 0; s < SIZES; s++) {
        Error error = {""};
        Problem problem;
        ck_assert_msg(problem_create(&problem, &spmm_ladder, sizes[s], 11, &error), "%s", error.text);
        for (int round = 0; round < 3; round++) {
            for (int r = 0; r < spmm_ladder.count; r++) {
                const Verdict verdict = problem_verify(&problem, &spmm_ladder.rungs[r]);
                ck_assert_msg(verdict_ok(&verdict), "%s, size %d: %zu wrong, %g tolerances", spmm_ladder.rungs[r].name,
                              s, verdict.wrong, verdict.max_error);
            }
            problem_refresh(&problem, (uint64_t)round + 1);
        }
        problem_free(&problem);
    }
}

/* A sum of another round is wrong wherever there is an entry: values of A are new, too. */
TEST(a_result_of_the_round_before_is_wrong)
{
    const int size[LADDER_DIMENSIONS] = {20, 30, 40, 500};
    Problem problem;
    ck_assert(problem_create(&problem, &spmm_ladder, size, 1, NULL));
    problem_run(&problem, &spmm_ladder.rungs[0]);
    problem_refresh(&problem, 1);
    ck_assert_uint_ge(problem_compare(&problem).wrong, 590);
    problem_free(&problem);
}

TEST(every_wrong_version_is_rejected)
{
    static const int shapes[][LADDER_DIMENSIONS] = {{37, 45, 50, 40}, {64, 131, 90, 20}};
    for (int s = 0; s < 2; s++) {
        Problem problem;
        ck_assert(problem_create(&problem, &spmm_ladder, shapes[s], 2, NULL));
        for (int w = 0; w < WRONG_COUNT; w++) {
            const Rung rung = {.name = wrongs[w].name, .function = (LadderFunction *)wrongs[w].function};
            const Verdict verdict = problem_verify(&problem, &rung);
            ck_assert_msg(!verdict_ok(&verdict), "\"%s\" was accepted", wrongs[w].name);
        }
        problem_free(&problem);
    }
}

static void
check_refused(const int *size, const char *hint)
{
    Error error = {""};
    Problem problem;
    ck_assert(!problem_create(&problem, &spmm_ladder, size, 1, &error));
    ck_assert_msg(strstr(error.text, hint) != NULL, "\"%s\" does not say \"%s\"", error.text, hint);
}

TEST(impossible_sizes_are_refused)
{
    check_refused((int[LADDER_DIMENSIONS]){8, 8, 8, 1001}, "at most 1000 fit");
    check_refused((int[LADDER_DIMENSIONS]){2000000000, 1, 2000000000, 1}, "elements");
    check_refused((int[LADDER_DIMENSIONS]){1, 2000000000, 100000, 1}, "elements");
    check_refused((int[LADDER_DIMENSIONS]){-1, 8, 8, 8}, "must be 0 or more");
}

TEST(work_is_counted_by_entries)
{
    const int size[] = {100, 30, 70, 25}; /* 175 of 7000 places */
    ck_assert_uint_eq(spmm_entries(size), 175);
    ck_assert(spmm_ladder.operation.flops(size) == 2.0 * 175 * 30);
    ck_assert(spmm_ladder.operation.bytes(size) == 8.0 * (175 + 101) + 4.0 * (70 * 30 + 100 * 30));
    ck_assert_uint_eq(spmm_ladder.operation.outputs(size), 3000);
}

/* 100 GB/s from the L1 cache, 50, 25, 10. */
TEST(predictions_are_those_of_the_models)
{
    Machine machine = {.capacity = {1 << 15, 1 << 20, 1 << 25}, .chain = 1e-9};
    machine.one = (MachinePeaks){.threads = 1, .fma = 1e11, .read = {1e11, 5e10, 2.5e10, 1e10}};
    machine.all = (MachinePeaks){.threads = 2, .fma = 2e11, .read = {2e11, 1e11, 5e10, 1e10}};
    const int size[] = {1000, 1024, 1024, 100}, sparse[] = {1000, 1024, 1024, 1};
    const double products = 102400.0 * 1024;
    ck_assert_double_eq_tol(spmm_predict_naive(size, 2, &machine), products * 1e-9, 1e-9);
    ck_assert_double_eq_tol(spmm_predict_reordered(size, 2, &machine), products * 4.0 / 2.5e10, 1e-9);
    ck_assert_double_eq_tol(spmm_predict_vector(size, 2, &machine), products * 4.0 / 2.5e10, 1e-9);
    ck_assert_double_eq_tol(spmm_predict_dense(size, 2, &machine), 2.0 * 1000 * 1024 * 1024 / 2e11, 1e-9);
    ck_assert(spmm_predict_packed(size, 2, &machine) < 0.9 * spmm_predict_vector(size, 2, &machine));
    ck_assert(spmm_predict_openmp(size, 2, &machine) < 0.6 * spmm_predict_packed(size, 2, &machine));
    ck_assert(spmm_predict_openmp(size, 1, &machine) == spmm_predict_packed(size, 2, &machine));
    ck_assert(spmm_predict_packed(sparse, 1, &machine) == spmm_predict_vector(sparse, 1, &machine));
}

TEST_MAIN("spmm ladder")
