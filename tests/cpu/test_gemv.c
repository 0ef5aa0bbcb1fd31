/* Every rung of gemv, and the peer, on every shape that a tile or a tail could get wrong. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/host.h"
#include "core/rng.h"
#include "cpu/gemv/gemv.h"
#include "cpu/openblas.h"
#include "tests/cpu/ladder_case.h"

/* One product: A has lda - N floats of NaN behind each row, and NaN behind its end, which nobody may let into a sum. */
typedef struct Case {
    int M, N, lda;
    float alpha, beta;
    float *A, *x, *y_before;
    double *want, *tolerance;
} Case;

static Case
make_case(int M, int N, int lda, float alpha, float beta)
{
    const size_t length = M > 0 ? (size_t)(M - 1) * (size_t)lda + (size_t)N : 0;
    Case c = {.M = M, .N = N, .lda = lda, .alpha = alpha, .beta = beta};
    c.A = ARRAY(float, length); /* exactly as long as may be read: AddressSanitizer sees one more */
    c.x = ARRAY(float, N);
    c.y_before = ARRAY(float, M);
    c.want = ARRAY(double, M);
    c.tolerance = ARRAY(double, M);
    rng_fill_uniform(5, 0, 0, c.A, length, -1.0, 1.0);
    rng_fill_normal(5, 1, 0, c.x, (size_t)N, 0.0, 1.0);
    rng_fill_normal(5, 2, 0, c.y_before, (size_t)M, 0.0, 1.0);
    for (int i = 0; i < M; i++) {
        double sum = 0.0, magnitude = 0.0;
        for (int j = 0; j < lda && (size_t)i * (size_t)lda + (size_t)j < length; j++) {
            float *a = c.A + (size_t)i * (size_t)lda + (size_t)j;
            if (j < N) {
                sum += (double)*a * (double)c.x[j];
                magnitude += fabs((double)*a * (double)c.x[j]);
            } else {
                *a = NAN;
            }
        }
        double old = beta == 0.0f ? 0.0 : (double)beta * (double)c.y_before[i];
        c.want[i] = (double)alpha * sum + old;
        c.tolerance[i] = (N + 3) * (double)FLT_EPSILON / 2.0 * (fabs((double)alpha) * magnitude + fabs(old));
    }
    return c;
}

static void
free_case(Case *c)
{
    array_free(c->A);
    array_free(c->x);
    array_free(c->y_before);
    array_free(c->want);
    array_free(c->tolerance);
}

/* beta = 0 meets the poison of the guarded buffer: NaN must not come through. */
static void
check_case(const Rung *rung, const Case *c)
{
    Guarded y = guarded_create((size_t)c->M);
    if (c->beta != 0.0f)
        memcpy(y.x, c->y_before, (size_t)c->M * sizeof(float));
    ((Gemv *)rung->function)(c->M, c->N, c->alpha, c->A, c->lda, c->x, c->beta, y.x);
    Verdict verdict = verify_within(y.x, c->want, c->tolerance, (size_t)c->M);
    verdict.overrun = !guarded_intact(&y);
    ck_assert_verdict(verdict, "%s, M %d, N %d, lda %d, alpha %g, beta %g", rung->name, c->M, c->N, c->lda,
                      (double)c->alpha, (double)c->beta);
    guarded_free(&y);
}

/* All rungs, the last of which is OpenBLAS: if it is here. */
static int
rungs_here(void)
{
    return gemv_ladder.count - !openblas_accepts(NULL, NULL);
}

static void
check_all(int M, int N, int lda, float alpha, float beta)
{
    Case c = make_case(M, N, lda, alpha, beta);
    for (int i = 0; i < rungs_here(); i++)
        check_case(&gemv_ladder.rungs[i], &c);
    free_case(&c);
}

TEST(every_small_shape)
{
    for (int M = 0; M <= 20; M++)
        for (int N = 0; N <= 36; N++)
            check_all(M, N, N > 0 ? N : 1, 1.0f, 0.0f);
}

/* One less than, equal to, one more than the numbers of lanes, tile rows and chains; and primes. */
static const int edges[] = {0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 61, 63, 64, 65, 127, 128, 129, 257};

TEST(edges_of_tiles)
{
    for (int i = 0; i < COUNT(edges); i++)
        for (int j = 0; j < COUNT(edges); j++)
            check_all(edges[i], edges[j], edges[j] > 0 ? edges[j] : 1, 1.0f, 0.0f);
}

TEST(rows_with_gaps_whose_content_does_not_matter)
{
    for (int N = 0; N <= 36; N++) {
        check_all(9, N, N + 1, 1.0f, 0.0f);
        check_all(13, N, N + 7, 1.0f, 0.0f);
        check_all(16, N, 64, 1.0f, 0.0f);
    }
    check_all(101, 257, 300, 1.0f, 0.0f);
}

TEST(alpha_and_beta)
{
    static const float factors[] = {0.0f, 1.0f, -1.0f, 0.5f, -2.75f};
    static const int shapes[][2] = {{1, 1}, {3, 0}, {7, 3}, {8, 4}, {9, 6}, {13, 10}, {5, 16}, {17, 33}, {65, 129}};
    for (int s = 0; s < 9; s++)
        for (int a = 0; a < 5; a++)
            for (int b = 0; b < 5; b++)
                check_all(shapes[s][0], shapes[s][1], shapes[s][1] + 1, factors[a], factors[b]);
}

TEST(long_rows_and_many_rows)
{
    check_all(1, 100003, 100003, 1.0f, 0.0f);
    check_all(3, 40009, 40009, -0.5f, 2.0f);
    check_all(63, 33331, 33331, 1.0f, 0.0f);
    check_all(64, 4099, 4099, 1.0f, 1.0f);
    check_all(20011, 3, 3, 1.0f, 0.0f);
    check_all(20011, 10, 10, 1.0f, 0.0f);
    check_all(20011, 5, 6, 1.0f, -1.0f);
    check_all(1003, 999, 999, 1.0f, 0.0f);
}

/* NaN and infinity in a row reach that row's result, and no other. */
TEST(nan_and_infinity_stay_in_their_rows)
{
    for (int N = 1; N <= 40; N++)
        for (int r = 0; r < rungs_here(); r++) {
            enum { M = 11 };
            float A[M * 40], x[40], y[M];
            for (int i = 0; i < M * N; i++)
                A[i] = 1.0f;
            for (int j = 0; j < N; j++)
                x[j] = 1.0f;
            A[3 * N + N - 1] = INFINITY;
            A[9 * N] = NAN;
            ((Gemv *)gemv_ladder.rungs[r].function)(M, N, 1.0f, A, N, x, 0.0f, y);
            for (int i = 0; i < M; i++)
                ck_assert_msg(i == 3   ? isinf(y[i])
                              : i == 9 ? isnan(y[i])
                                       : y[i] == (float)N,
                              "%s, N %d: y[%d] is %g", gemv_ladder.rungs[r].name, N, i, (double)y[i]);
        }
}

TEST(unaligned_arrays)
{
    Case c = make_case(19, 37, 37, 1.0f, 0.0f);
    float *A = ARRAY(float, 19 * 37 + 1), *x = ARRAY(float, 38);
    memcpy(A + 1, c.A, 19 * 37 * sizeof(float));
    memcpy(x + 1, c.x, 37 * sizeof(float));
    Guarded y = guarded_create(20);
    for (int r = 0; r < rungs_here(); r++) {
        ((Gemv *)gemv_ladder.rungs[r].function)(19, 37, 1.0f, A + 1, 37, x + 1, 0.0f, y.x + 1);
        Verdict verdict = verify_within(y.x + 1, c.want, c.tolerance, 19);
        ck_assert(verdict_ok(&verdict));
    }
    guarded_free(&y);
    array_free(A);
    array_free(x);
    free_case(&c);
}

/* Rungs of ours give the same bits each time, and the threaded one with every number of threads. */
TEST(the_same_bits_with_any_number_of_threads)
{
    static const int shapes[][2] = {{1003, 99},  {20000, 3}, {20001, 4}, {20003, 7},
                                    {20003, 13}, {5, 70001}, {1, 65537}};
    const int before = host_threads();
    for (int s = 0; s < 7; s++) {
        const int M = shapes[s][0], N = shapes[s][1];
        Case c = make_case(M, N, N, 1.25f, 0.5f);
        float *first = ARRAY(float, M), *y = ARRAY(float, M);
        for (int threads = 1; threads <= 7; threads++) {
            host_set_threads(threads);
            memcpy(y, c.y_before, (size_t)M * sizeof(float));
            gemv_openmp(M, N, 1.25f, c.A, N, c.x, 0.5f, y);
            if (threads == 1)
                memcpy(first, y, (size_t)M * sizeof(float));
            ck_assert_msg(memcmp(first, y, (size_t)M * sizeof(float)) == 0, "%dx%d, %d threads", M, N, threads);
        }
        array_free(first);
        array_free(y);
        free_case(&c);
    }
    host_set_threads(before);
}

/* No difference between beta = 0 on NaN and on numbers. */
TEST(beta_zero_does_not_read_y)
{
    for (int r = 0; r < rungs_here(); r++)
        for (int M = 1; M < 20; M++) {
            float A[20], x[1] = {2.0f}, y[20];
            for (int i = 0; i < 20; i++) {
                A[i] = (float)i;
                y[i] = i % 2 ? NAN : -INFINITY;
            }
            ((Gemv *)gemv_ladder.rungs[r].function)(M, 1, 1.0f, A, 1, x, 0.0f, y);
            for (int i = 0; i < M; i++)
                ck_assert_msg(y[i] == 2.0f * (float)i, "%s, M %d: y[%d] is %g", gemv_ladder.rungs[r].name, M, i,
                              (double)y[i]);
        }
}

/* The formula that the ladder prints: wide enough for every order of the sum, and far too narrow for half precision. */
TEST(the_ladder_verifies_its_own_rungs)
{
    static const int sizes[][2] = {{0, 0}, {0, 5}, {5, 0}, {1, 1}, {33, 1}, {64, 64}, {129, 1009}, {3, 20011}};
    for (int s = 0; s < 8; s++)
        ladder_check(&gemv_ladder, sizes[s], false);
}

/* Below GEMV_PARALLEL_MIN elements one; never more than there are tiles of rows, or chunks of columns. */
TEST(parts_are_no_more_than_there_is_work)
{
    ck_assert_int_eq(gemv_openmp_parts(0, 100, 4), 1);
    ck_assert_int_eq(gemv_openmp_parts(100, 0, 4), 1);
    ck_assert_int_eq(gemv_openmp_parts(64, 64, 4), 1);
    ck_assert_int_eq(gemv_openmp_parts(1000, 1000, 4), 4);
    ck_assert_int_eq(gemv_openmp_parts(1000, 1000, 1), 1);
    ck_assert_int_eq(gemv_openmp_parts(8, 10000, 4), 1);  /* one tile */
    ck_assert_int_eq(gemv_openmp_parts(9, 10000, 4), 2);  /* two */
    ck_assert_int_eq(gemv_openmp_parts(1, 32768, 4), 2);  /* two chunks */
    ck_assert_int_eq(gemv_openmp_parts(1, 100000, 4), 4); /* seven */
}

/* A model has no prediction for sizes that it does not know, and the threaded one counts the threads that get a chunk. */
TEST(predictions_are_those_of_the_models)
{
    Machine machine = {.capacity = {1 << 15, 1 << 20, 1 << 25}, .chain = 1e-9};
    machine.one = (MachinePeaks){.threads = 1, .fma = 1e11, .read = {2e11, 1e11, 5e10, 2e10}};
    machine.all = (MachinePeaks){.threads = 2, .fma = 2e11, .read = {4e11, 2e11, 1e11, 2e10}};
    const Rung *rungs = gemv_ladder.rungs;
    const int narrow[] = {1000, 10}, shorter[] = {100, 255}, square[] = {256, 256}, one_tile[] = {8, 10000};
    for (int r = 0; r < 6; r++)
        ck_assert(isnan(rungs[r].predict(narrow, 1, &machine)));
    ck_assert(isnan(rungs[0].predict(shorter, 1, &machine)) && isnan(rungs[1].predict(shorter, 1, &machine)));
    ck_assert(rungs[2].predict(shorter, 1, &machine) > 0.0);
    ck_assert_double_eq_tol(rungs[0].predict(square, 2, &machine), 65536e-9, 1e-12);
    ck_assert_double_eq_tol(rungs[1].predict(square, 2, &machine), 16384e-9, 1e-12);
    const double bytes = 4.0 * (65536 + 512);
    ck_assert_double_eq_tol(rungs[2].predict(square, 2, &machine), bytes / 1e11,
                            1e-12); /* twice from L1, once from L2 */
    ck_assert_double_eq_tol(rungs[5].predict(square, 2, &machine), bytes / 2e11, 1e-12);
    ck_assert(rungs[5].predict(one_tile, 2, &machine) == rungs[4].predict(one_tile, 1, &machine));
}

TEST_MAIN("gemv")
