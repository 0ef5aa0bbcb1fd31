/* The checker of gemm's ladder, whose reference follows the inputs by small updates: it must reject each of tests/wrong/gemm.h, and
 * every answer that is old, or made from an old copy of an operand.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "tests/cpu/ladder_case.h"
#include "tests/wrong/gemm.h"

/* The last number: nn, nt, tn, tt. */
static const int sizes[][4] = {{37, 45, 29, 0}, {1, 33, 128, 1}, {64, 2, 300, 2}, {17, 16, 15, 3}, {5, 3, 2000, 0}};

TEST(driver_rejects_every_wrong_version)
{
    for (int s = 0; s < COUNT(sizes); s++)
        for (int i = 0; i < WRONG_GEMMS; i++) {
            const Rung rungs[] = {{.name = "right", .function = (LadderFunction *)gemm_naive},
                                  {.name = "wrong", .function = (LadderFunction *)wrong_gemms[i].function}};
            LadderTable *table = ladder_measure_rungs(&gemm_ladder, rungs, 2, sizes[s]);
            ck_assert_int_eq(table->rows[0].state, ROW_MEASURED);
            ck_assert_msg(table->rows[1].state == ROW_WRONG, "size %d: \"%s\" was accepted", s, wrong_gemms[i].name);
            ladder_table_free(table);
        }
}

/* ---- rungs that were right once ---- */

static int calls;
static float *kept_a, *kept_b, *kept_c;

static float *
copy_of(const float *x, size_t n)
{
    float *copy = ARRAY(float, n);
    memcpy(copy, x, n * sizeof *copy);
    return copy;
}

static void
forget(void)
{
    calls = 0;
    array_free(kept_a);
    array_free(kept_b);
    array_free(kept_c);
    kept_a = kept_b = kept_c = NULL;
}

/* The same answer for ever. ldc is N here. */
static void
keeps_the_answer(GEMM_PARAMETERS)
{
    const size_t n = (size_t)M * (size_t)N;
    if (kept_c == NULL) {
        RIGHT(M, N, K, alpha);
        kept_c = copy_of(C, n);
    }
    memcpy(C, kept_c, n * sizeof *C);
}

/* A copy of A, as a library keeps that packs weights once. */
static void
keeps_a(GEMM_PARAMETERS)
{
    if (kept_a == NULL)
        kept_a = copy_of(A, (size_t)lda * (size_t)(transpose_a ? K : M));
    gemm_naive(transpose_a, transpose_b, M, N, K, alpha, kept_a, lda, B, ldb, beta, C, ldc);
}

static void
keeps_b(GEMM_PARAMETERS)
{
    if (kept_b == NULL)
        kept_b = copy_of(B, (size_t)ldb * (size_t)(transpose_b ? N : K));
    gemm_naive(transpose_a, transpose_b, M, N, K, alpha, A, lda, kept_b, ldb, beta, C, ldc);
}

/* Right when it is verified before timing, and never again. */
static void
right_once(GEMM_PARAMETERS)
{
    if (calls++ == 0)
        RIGHT(M, N, K, alpha);
}

TEST(driver_finds_what_was_right_once)
{
    static const struct {
        const char *name;
        Gemm *function;
    } cheats[] = {{"answer", keeps_the_answer}, {"A", keeps_a}, {"B", keeps_b}, {"once", right_once}};
    for (int s = 0; s < COUNT(sizes); s++)
        for (int i = 0; i < 4; i++) {
            const Rung rung = {.name = cheats[i].name, .function = (LadderFunction *)cheats[i].function};
            LadderTable *table = ladder_measure_rungs(&gemm_ladder, &rung, 1, sizes[s]);
            ck_assert_msg(table->rows[0].state == ROW_WRONG, "size %d: kept \"%s\"", s, cheats[i].name);
            ck_assert_ptr_nonnull(strstr(table->rows[0].reason, "timed output of round 1"));
            ladder_table_free(table);
            forget();
        }
}

/* Not one element of an old answer, or of one from an old copy of A or B, passes: in any round, at any size. */
TEST(every_element_of_an_old_answer_is_wrong)
{
    for (int s = 0; s < COUNT(sizes); s++) {
        Problem problem;
        ck_assert_ok(problem_create(&problem, &gemm_ladder, sizes[s], 5, &error));
        for (uint64_t round = 1; round <= 40; round++) {
            const Rung a = {.function = (LadderFunction *)keeps_a}, b = {.function = (LadderFunction *)keeps_b};
            Verdict verdict = problem_verify(&problem, &a);
            ck_assert(verdict_ok(&verdict));
            problem_run(&problem, &b); /* makes its copy */
            problem_refresh(&problem, round);
            verdict = problem_compare(&problem);
            ck_assert_uint_eq(verdict.wrong, problem.outputs);
            verdict = problem_verify(&problem, &a);
            ck_assert_uint_eq(verdict.wrong, problem.outputs);
            verdict = problem_verify(&problem, &b);
            ck_assert_uint_eq(verdict.wrong, problem.outputs);
            forget();
        }
        problem_free(&problem);
    }
}

TEST_MAIN("wrong_gemm")
