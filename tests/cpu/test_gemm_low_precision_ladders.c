/* The ladders of gemm_bf16 and gemm_int8: every rung and peer through them, the row of floats included, and inputs that change.
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/gemm/gemm.h"
#include "cpu/gemm_int8/gemm_int8.h"
#include "cpu/ladders.h"
#include "tests/testing.h"
#include <math.h>
#include <string.h>

static const Ladder *const ladders[] = {&gemm_bf16_ladder, &gemm_int8_ladder};

static void
verify_all(const Ladder *ladder, const int *size)
{
    Error error = {""};
    Problem problem;
    char text[64], verdict_text[200];
    ck_assert_msg(problem_create(&problem, ladder, size, 7, &error), "%s", error.text);
    for (uint64_t round = 1; round <= 2; round++) {
        for (int r = 0; r < ladder->count; r++) {
            const Rung *rung = &ladder->rungs[r];
            if (!rung_accepts(rung, size, NULL))
                continue;
            Verdict verdict = problem_verify(&problem, rung);
            verdict_print(&verdict, verdict_text, sizeof verdict_text);
            ck_assert_msg(verdict_ok(&verdict), "%s %s, %s: %s", ladder->operation.name, rung->name,
                          ladder_size_text(ladder, size, text), verdict_text);
        }
        problem_refresh(&problem, round);
    }
    problem_free(&problem);
}

TEST(every_rung_and_peer_is_right_in_every_variant)
{
    static const int shapes[][3] = {{0, 0, 0},    {0, 3, 2},    {3, 0, 2},      {3, 2, 0},
                                    {1, 1, 1},    {1, 70, 33},  {70, 1, 5},     {16, 16, 16},
                                    {17, 33, 31}, {65, 63, 64}, {12, 10, 4700}, {97, 101, 103}};
    for (int l = 0; l < 2; l++)
        for (int s = 0; s < 12; s++)
            for (int t = 0; t < 4; t++)
                verify_all(ladders[l], (const int[]){shapes[s][0], shapes[s][1], shapes[s][2], t});
}

TEST(with_several_threads_too)
{
    const int before = host_threads();
    for (int l = 0; l < 2; l++) {
        for (int r = 0; r < ladders[l]->count; r++)
            if (ladders[l]->rungs[r].use_threads != NULL && rung_accepts(&ladders[l]->rungs[r], NULL, NULL))
                ladders[l]->rungs[r].use_threads(2);
        host_set_threads(2);
        for (int t = 0; t < 4; t++)
            verify_all(ladders[l], (const int[]){203, 307, 231, t});
    }
    host_set_threads(before);
}

/* The output of the round before is wrong in every element, whatever wrote it. */
TEST(old_outputs_are_wrong)
{
    const int size[] = {33, 47, 65, 0};
    for (int l = 0; l < 2; l++)
        for (int r = 0; r < ladders[l]->count; r++) {
            Error error = {""};
            Problem problem;
            if (!rung_accepts(&ladders[l]->rungs[r], size, NULL))
                continue;
            ck_assert_msg(problem_create(&problem, ladders[l], size, 7, &error), "%s", error.text);
            problem_run(&problem, &ladders[l]->rungs[r]);
            problem_refresh(&problem, 1);
            ck_assert_uint_eq(problem_compare(&problem).wrong, problem.outputs);
            problem_free(&problem);
        }
}

/* The row of floats is told from the others: whole numbers from it, or floats from them, would be wrong. */
TEST(floats_and_whole_numbers_are_told_apart)
{
    const int size[] = {5, 6, 7, 0};
    Error error = {""};
    Problem problem;
    ck_assert_msg(problem_create(&problem, &gemm_int8_ladder, size, 7, &error), "%s", error.text);
    Rung rung = gemm_int8_ladder.rungs[0];
    ck_assert(rung.floats && rung.function == (LadderFunction *)gemm_expert);
    Verdict verdict = problem_verify(&problem, &rung);
    ck_assert(verdict_ok(&verdict));
    rung.floats = false;
    ck_assert_uint_gt(problem_verify(&problem, &rung).wrong, 25);
    rung = gemm_int8_ladder.rungs[1];
    rung.floats = true;
    ck_assert_uint_gt(problem_verify(&problem, &rung).wrong, 25);
    problem_free(&problem);
}

TEST(impossible_sizes_get_a_sentence)
{
    const int huge[] = {2000000000, 2000000000, 30000, 0}, deep[] = {1, 1, 130000, 0};
    Problem problem;
    for (int l = 0; l < 2; l++) {
        Error error = {""};
        ck_assert(!problem_create(&problem, ladders[l], huge, 1, &error));
        ck_assert_uint_gt(strlen(error.text), 0);
    }
    Error error = {""};
    ck_assert(!problem_create(&problem, &gemm_int8_ladder, deep, 1, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "may leave 32 bits"));
}

TEST(models_and_peers_speak)
{
    Machine machine = {.capacity = {1 << 15, 1 << 20, 1 << 25}, .chain = 1e-9};
    machine.all = machine.one =
        (MachinePeaks){.threads = 1, .fma = 2e11, .fma256 = 1e11, .read = {4e11, 2e11, 1e11, 2e10}};
    const int size[] = {100, 200, 300, 0};
    for (int l = 0; l < 2; l++)
        for (int r = 0; r < ladders[l]->count; r++) {
            const Rung *rung = &ladders[l]->rungs[r];
            if (rung->peer)
                ck_assert_uint_gt(strlen(rung->describe()), 0);
            else if (rung->predict != NULL) /* a build without the instructions has no model of emulating them: NaN */
                ck_assert(!(rung->predict(size, 1, &machine) <= 0.0));
        }
}

TEST_MAIN("gemm_low_precision_ladders")
