/* The checkers themselves: each must reject each of the broken versions in tests/wrong/, and accept the right one.
 * SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "tests/cpu/ladder_case.h"
#include "tests/wrong/gemv.h"
#include <sys/wait.h>
#include <unistd.h>

enum { M = 37, N = 45 }; /* neither is a multiple of anything that a kernel likes */

typedef struct Case {
    float A[M * N], x[N];
    double want[M];
    float want_float[M];
    Guarded y;
} Case;

static void
make_case(Case *c)
{
    rng_fill_normal(7, 0, 0, c->A, M * N, 0.0, 1.0);
    rng_fill_normal(7, 1, 0, c->x, N, 0.0, 1.0);
    for (int i = 0; i < M; i++) {
        c->want[i] = 0.0;
        for (int j = 0; j < N; j++)
            c->want[i] += (double)c->A[i * N + j] * (double)c->x[j];
        c->want_float[i] = (float)c->want[i];
    }
    c->y = guarded_create(M);
}

static void
run_case(Case *c, Gemv *function)
{
    guarded_poison(&c->y);
    function(M, N, 1.0f, c->A, N, c->x, 0.0f, c->y.x);
}

#define ATOL 1e-5
#define RTOL 1e-5

static Verdict
by_floats(const Case *c)
{
    return verify_floats(c->y.x, c->want_float, M, ATOL, RTOL);
}

static Verdict
by_doubles(const Case *c)
{
    double got[M];
    for (int i = 0; i < M; i++)
        got[i] = (double)c->y.x[i];
    return verify_doubles(got, c->want, M, ATOL, RTOL);
}

static Verdict
by_against(const Case *c)
{
    return verify_against(c->y.x, c->want, M, ATOL, RTOL);
}

static Verdict
by_within(const Case *c)
{
    double tolerance[M];
    for (int i = 0; i < M; i++)
        tolerance[i] = ATOL;
    return verify_within(c->y.x, c->want, tolerance, M);
}

/* The comparer alone finds wrong elements; the guards alone find overruns; neither objects to the right version. */
static void
check_comparer(Verdict (*compare)(const Case *))
{
    Case c;
    make_case(&c);
    run_case(&c, gemv_naive);
    Verdict verdict = compare(&c);
    ck_assert(verdict_ok(&verdict));
    ck_assert(guarded_intact(&c.y));
    for (int i = 0; i < WRONG_COUNT; i++) {
        run_case(&c, wrongs[i].function);
        verdict = compare(&c);
        ck_assert_msg(verdict_ok(&verdict) == wrongs[i].overruns, "\"%s\" was accepted", wrongs[i].name);
        ck_assert_msg(guarded_intact(&c.y) == !wrongs[i].overruns, "guards of \"%s\"", wrongs[i].name);
        verdict.overrun = !guarded_intact(&c.y);
        ck_assert(!verdict_ok(&verdict));
    }
    guarded_free(&c.y);
}

TEST_CALL(verify_floats_rejects_every_wrong_version, check_comparer(by_floats))
TEST_CALL(verify_doubles_rejects_every_wrong_version, check_comparer(by_doubles))
TEST_CALL(verify_against_rejects_every_wrong_version, check_comparer(by_against))
TEST_CALL(verify_within_rejects_every_wrong_version, check_comparer(by_within))

/* Runs the assertion in a process of its own: true if it ended that process with a failure. */
static bool
assertion_fails(const Case *c, bool doubles)
{
    fflush(NULL);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        double got[M];
        for (int i = 0; i < M; i++)
            got[i] = (double)c->y.x[i];
        if (doubles)
            ck_assert_doubles(got, c->want, M, ATOL, RTOL);
        else
            ck_assert_floats(c->y.x, c->want_float, M, ATOL, RTOL);
        _exit(0);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static void
check_assertion(bool doubles)
{
    Case c;
    make_case(&c);
    run_case(&c, gemv_naive);
    ck_assert(!assertion_fails(&c, doubles));
    for (int i = 0; i < WRONG_COUNT; i++) {
        run_case(&c, wrongs[i].function);
        if (!wrongs[i].overruns) /* the assertion sees no guards */
            ck_assert_msg(assertion_fails(&c, doubles), "\"%s\" was accepted", wrongs[i].name);
    }
    guarded_free(&c.y);
}

TEST_CALL(testing_floats_rejects_every_wrong_version, check_assertion(false))
TEST_CALL(testing_doubles_rejects_every_wrong_version, check_assertion(true))

/* ---- the driver ------------------------------------------------------------------------------------------------------- */

TEST(driver_rejects_every_wrong_version)
{
    static const int sizes[][2] = {{37, 45}, {101, 1003}, {9, 4097}};
    for (int s = 0; s < 3; s++)
        for (int i = 0; i < WRONG_COUNT; i++) {
            const Rung rungs[] = {{.name = "naive", .function = (LadderFunction *)gemv_naive},
                                  {.name = "wrong", .function = (LadderFunction *)wrongs[i].function}};
            LadderTable *table = ladder_measure_rungs(&gemv_ladder, rungs, 2, sizes[s]);
            ck_assert_int_eq(table->rows[0].state, ROW_MEASURED);
            ck_assert_msg(table->rows[1].state == ROW_WRONG, "%dx%d: \"%s\" was accepted", sizes[s][0], sizes[s][1],
                          wrongs[i].name);
            ck_assert_ptr_null(table->rows[1].naive.with); /* no ratio of a wrong result */
            ck_assert(!ladder_table_ok(table));
            ladder_table_free(table);
        }
}

static int calls;

/* Right when it is verified first, and never again. */
static void
right_once(int m, int n, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    if (calls++ == 0)
        gemv_naive(m, n, alpha, A, lda, x, beta, y);
}

TEST(driver_finds_a_rung_that_stops_working)
{
    const Rung rung = {.name = "right once", .function = (LadderFunction *)right_once};
    const int size[LADDER_DIMENSIONS] = {5, 7};
    calls = 0;
    LadderTable *table = ladder_measure_rungs(&gemv_ladder, &rung, 1, size);
    ck_assert_int_eq(table->rows[0].state, ROW_WRONG);
    ck_assert_ptr_nonnull(strstr(table->rows[0].reason, "timed output of round 1: 5 of 5 wrong, first [0]: got nan"));
    ladder_table_free(table);
}

static float remembered[5];

/* Computes once and then gives the same answer for whatever it is asked. */
static void
cached(int m, int n, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    if (calls++ == 0)
        gemv_naive(m, n, alpha, A, lda, x, beta, remembered);
    memcpy(y, remembered, sizeof remembered);
}

TEST(driver_finds_a_rung_that_remembers_the_last_answer)
{
    const Rung rung = {.name = "cached", .function = (LadderFunction *)cached};
    const int size[LADDER_DIMENSIONS] = {5, 7};
    calls = 0;
    LadderTable *table = ladder_measure_rungs(&gemv_ladder, &rung, 1, size);
    ck_assert_int_eq(table->rows[0].state, ROW_WRONG);
    ck_assert_ptr_nonnull(strstr(table->rows[0].reason, "timed output"));
    ladder_table_free(table);
}

static float *copied;

/* Keeps a copy of A for all later calls, as a library does that rearranges it once: the time of doing so is then not measured. */
static void
copies_once(int m, int n, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    if (copied == NULL) {
        copied = malloc((size_t)m * (size_t)n * sizeof *copied);
        ck_assert_ptr_nonnull(copied);
        memcpy(copied, A, (size_t)m * (size_t)n * sizeof *copied);
    }
    gemv_naive(m, n, alpha, copied, lda, x, beta, y);
}

TEST(driver_finds_a_rung_that_copies_a_once)
{
    const Rung rung = {.name = "copies", .function = (LadderFunction *)copies_once};
    static const int sizes[][LADDER_DIMENSIONS] = {{5, 7}, {1, 1}, {101, 1003}, {3, 20011}};
    for (int s = 0; s < 4; s++) {
        LadderTable *table = ladder_measure_rungs(&gemv_ladder, &rung, 1, sizes[s]);
        ck_assert_int_eq(table->rows[0].state, ROW_WRONG);
        ck_assert_ptr_nonnull(strstr(table->rows[0].reason, "timed output"));
        ladder_table_free(table);
        free(copied);
        copied = NULL;
    }
}

TEST_MAIN("wrong")
