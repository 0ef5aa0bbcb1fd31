/* The ladders of gemm_bf16 and gemm_int8: every rung and peer through them, the row of floats included, and inputs that change.
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/gemm/gemm.h"
#include "cpu/gemm_int8/gemm_int8.h"
#include "tests/cpu/ladder_case.h"

static const Ladder *const ladders[] = {&gemm_bf16_ladder, &gemm_int8_ladder};

TEST(every_rung_and_peer_is_right_in_every_variant)
{
    static const int shapes[][3] = {{0, 0, 0},    {0, 3, 2},    {3, 0, 2},      {3, 2, 0},
                                    {1, 1, 1},    {1, 70, 33},  {70, 1, 5},     {16, 16, 16},
                                    {17, 33, 31}, {65, 63, 64}, {12, 10, 4700}, {97, 101, 103}};
    for (int l = 0; l < 2; l++)
        for (int s = 0; s < 12; s++)
            for (int t = 0; t < 4; t++)
                ladder_check(ladders[l], (const int[]){shapes[s][0], shapes[s][1], shapes[s][2], t}, false);
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
            ladder_check(ladders[l], (const int[]){203, 307, 231, t}, false);
    }
    host_set_threads(before);
}

/* The output of the round before is wrong in every element, whatever wrote it. */
TEST(old_outputs_are_wrong)
{
    const int size[] = {33, 47, 65, 0};
    for (int l = 0; l < 2; l++)
        for (int r = 0; r < ladders[l]->count; r++)
            if (rung_accepts(&ladders[l]->rungs[r], size, NULL))
                ck_assert_uint_eq(ladder_old_wrong(ladders[l], size, &ladders[l]->rungs[r], 1), 33 * 47);
}

/* The row of floats is told from the others: whole numbers from it, or floats from them, would be wrong. */
TEST(floats_and_whole_numbers_are_told_apart)
{
    const int size[] = {5, 6, 7, 0};
    Problem problem;
    ck_assert_ok(problem_create(&problem, &gemm_int8_ladder, size, 7, &error));
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
    for (int l = 0; l < 2; l++)
        ladder_refuses(ladders[l], (const int[]){2000000000, 2000000000, 30000, 0}, "");
    ladder_refuses(&gemm_int8_ladder, (const int[]){1, 1, 130000, 0}, "may leave 32 bits");
}

TEST(models_and_peers_speak)
{
    const Machine machine = invented_machine();
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
