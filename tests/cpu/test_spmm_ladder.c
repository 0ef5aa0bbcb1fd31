/* The table of spmm: its problems, the dense peer, the models, and that it rejects broken versions.
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/spmm/models.h"
#include "cpu/spmm/packed.h"
#include "tests/cpu/ladder_case.h"
#include "tests/wrong/spmm.h"

/* M, N, K, and the entries in 1000 places. */
static const int sizes[][LADDER_DIMENSIONS] = {
    {0, 0, 0, 0},      {0, 5, 7, 100},      {5, 0, 7, 100},     {5, 7, 0, 100},     {1, 1, 1, 1000},     {9, 33, 13, 0},
    {64, 64, 64, 100}, {37, 129, 301, 500}, {101, 10, 103, 50}, {16, 20, 11, 1000}, {150, 300, 1100, 90}};

TEST(the_ladder_verifies_its_own_rungs_and_the_dense_peer)
{
    for (size_t s = 0; s < COUNT(sizes); s++)
        ladder_check(&spmm_ladder, sizes[s], false);
}

/* A sum of another round is wrong wherever there is an entry: values of A are new, too. */
TEST(a_result_of_the_round_before_is_wrong)
{
    const int size[LADDER_DIMENSIONS] = {20, 30, 40, 500};
    ck_assert_uint_ge(ladder_old_wrong(&spmm_ladder, size, &spmm_ladder.rungs[0], 1), 590);
}

TEST(every_wrong_version_is_rejected)
{
    static const int shapes[][LADDER_DIMENSIONS] = {{37, 45, 50, 40}, {64, 131, 90, 20}};
    for (int s = 0; s < 2; s++)
        for (int w = 0; w < WRONG_COUNT; w++)
            ladder_rejects(&spmm_ladder, shapes[s],
                           &(Rung){.name = wrongs[w].name, .function = (LadderFunction *)wrongs[w].function});
}

TEST(impossible_sizes_are_refused)
{
    ladder_refuses(&spmm_ladder, (int[LADDER_DIMENSIONS]){8, 8, 8, 1001}, "at most 1000 fit");
    ladder_refuses(&spmm_ladder, (int[LADDER_DIMENSIONS]){2000000000, 1, 2000000000, 1}, "elements");
    ladder_refuses(&spmm_ladder, (int[LADDER_DIMENSIONS]){1, 2000000000, 100000, 1}, "elements");
    ladder_refuses(&spmm_ladder, (int[LADDER_DIMENSIONS]){-1, 8, 8, 8}, "must be 0 or more");
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
