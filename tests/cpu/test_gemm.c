/* Every rung of the matrix product against a reference that sums in double: all transposes, shapes around the tiles, rows further
 * apart than they are long, all kinds of alpha and beta, NaN where it must vanish and where it must come through.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/host.h"
#include "core/rng.h"
#include "core/vector.h"
#include "cpu/gemm/gemm.h"
#include "cpu/gemm/micro_kernel.h"
#include "tests/cpu/gemm_case.h"
#include "tests/testing.h"

static const struct {
    const char *name;
    Gemm *run;
} rungs[] = {{"naive", gemm_naive},
             {"reordered", gemm_reordered},
             {"blocked", gemm_blocked},
             {"register_tile", gemm_register_tile},
             {"packed", gemm_packed},
             {"vector", gemm_vector},
             {"openmp", gemm_openmp},
             {"in_place", gemm_in_place},
             {"masked", gemm_masked},
             {"prefetch", gemm_prefetch},
             {"tall_skinny", gemm_tall_skinny},
             {"expert", gemm_expert}};

static void
run(int rung, const Case *c, const Operands *o, float *C)
{
    rungs[rung].run(c->transpose_a, c->transpose_b, c->M, c->N, c->K, c->alpha, o->A, (int)o->lda, o->B, (int)o->ldb,
                    c->beta, C, (int)o->ldc);
}

/* The gaps of C hold NaN before and must after: they are compared as bits, the rest as numbers. A sum of K products of numbers
 * below 1 is off by at most K roundings of 6e-8 of at most K |alpha|. */
static void
check_rung(int rung, const Case *c)
{
    Operands o = operands_create(c);
    double *want = reference(c, &o);
    Guarded got = guarded_create(o.c_size);
    memcpy(got.x, o.C, o.c_size * sizeof(float));
    if (c->beta == 0)
        for (size_t m = 0; m < (size_t)c->M; m++)
            for (size_t n = 0; n < (size_t)c->N; n++)
                got.x[m * o.ldc + n] = NAN;
    run(rung, c, &o, got.x);
    for (size_t m = 0; m < (size_t)c->M; m++) {
        const size_t at = m * o.ldc;
        const double atol = 6e-8 * (c->K + 2) * (fabs(c->alpha) * sqrt(c->K) + fabs(c->beta) + 1);
        const Verdict verdict = verify_against(got.x + at, want + at, (size_t)c->N, atol, 0);
        ck_assert_verdict(verdict, "%s %d%d M %d N %d K %d alpha %g beta %g, row %zu", rungs[rung].name, c->transpose_a,
                          c->transpose_b, c->M, c->N, c->K, c->alpha, c->beta, m);
        ck_assert_msg(memcmp(got.x + at + c->N, o.C + at + c->N, GAP * sizeof(float)) == 0,
                      "%s wrote between the rows of C", rungs[rung].name);
    }
    ck_assert_msg(guarded_intact(&got), "%s wrote outside C", rungs[rung].name);
    guarded_free(&got);
    array_free(want);
    operands_free(&o);
}

static void
check_shape(int rung, int M, int N, int K, float alpha, float beta)
{
    for (int transposes = 0; transposes < 4; transposes++)
        check_rung(rung, &(Case){(transposes & 1) != 0, (transposes & 2) != 0, M, N, K, alpha, beta});
}

/* 0, 1, primes, and the tiles of rungs and machines (3, 4, 6, 8, 12, 14, 16, 24 rows; 1 to 4 vectors) with their neighbours. */
static const int sizes[] = {0, 1, 2, 3, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 24, 25, 29, 37};
static const int widths[] = {0,
                             1,
                             5,
                             7,
                             VECTOR_LANES - 1,
                             VECTOR_LANES,
                             VECTOR_LANES + 1,
                             2 * VECTOR_LANES + 4,
                             3 * VECTOR_LANES - 1,
                             3 * VECTOR_LANES,
                             4 * VECTOR_LANES - 1,
                             4 * VECTOR_LANES,
                             4 * VECTOR_LANES + 1,
                             8 * VECTOR_LANES + 5};
static const int lengths[] = {0, 1, 2, 17, 37};
static void
check_all_shapes(int rung)
{
    for (int m = 0; m < COUNT(sizes); m++)
        for (int n = 0; n < COUNT(widths); n++)
            for (int k = 0; k < COUNT(lengths); k++)
                check_shape(rung, sizes[m], widths[n], lengths[k], 1, 0);
}

static void
check_all_scales(int rung)
{
    static const float scales[] = {0, 1, -1, 0.5F, 3};
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 5; b++)
            check_shape(rung, 13, 35, 7, scales[a], scales[b]);
}

/* Around the blocks of k, of rows and of columns of every rung. */
static void
check_blocks(int rung)
{
    static const int sums[] = {127, 128, 129, 255, 256, 257, 513, 1023, 1024, 1025, 2049};
    for (int i = 0; i < COUNT(sums); i++) {
        check_shape(rung, 7, 5, sums[i], 1, 0);
        check_shape(rung, 3, 33, sums[i], -0.5F, 2);
        check_shape(rung, 31, 10, sums[i], 1, 1);
    }
    check_shape(rung, 393, 65, 3, 1, 1);
    check_shape(rung, 99, 70, 300, 2, 0);
    check_shape(rung, 3, 4097, 2, 1, 0);
    check_shape(rung, 30, 2049, 5, 1, 0.5F);
    check_shape(rung, 30, 520, 1030, 1, 0);
    check_shape(rung, 30, 256 - GAP, 800, 1, 0); /* rows of B with a stride of 1 KiB */
    check_rung(rung, &(Case){false, false, 410, 256 - GAP, 800, 1, 0});
    check_rung(rung, &(Case){false, false, 4, 2050, 2100, 1, 0}); /* a B that is prefetched */
    check_rung(rung, &(Case){false, false, 9, 256 - GAP, 1030, 1, 0});
    check_rung(rung, &(Case){false, false, 4100, 12, 1025, 1, 0});
    check_rung(rung, &(Case){false, false, 197, 263, 768 - GAP, 1, 0.5F}); /* both packed where tiles have 2 vectors */
}

/* NaN in an element of A reaches its row of C, and no other. */
static void
check_nan(int rung)
{
    const Case c = {false, false, 14, 35, 9, 1, 0};
    Operands o = operands_create(&c);
    o.A[4 * o.lda + 8] = NAN;
    run(rung, &c, &o, o.C);
    for (size_t m = 0; m < 14; m++)
        for (size_t n = 0; n < 35; n++)
            ck_assert_int_eq(isnan(o.C[m * o.ldc + n]) != 0, m == 4);
    operands_free(&o);
}

#define RUNG(number, name)                                                                                             \
    TEST(name##_takes_every_shape)                                                                                     \
    {                                                                                                                  \
        check_all_shapes(number);                                                                                      \
    }                                                                                                                  \
    TEST(name##_scales)                                                                                                \
    {                                                                                                                  \
        check_all_scales(number);                                                                                      \
    }                                                                                                                  \
    TEST(name##_takes_many_blocks)                                                                                     \
    {                                                                                                                  \
        check_blocks(number);                                                                                          \
    }                                                                                                                  \
    TEST(name##_passes_nan_on)                                                                                         \
    {                                                                                                                  \
        check_nan(number);                                                                                             \
    }

RUNG(0, naive)
RUNG(1, reordered)
RUNG(2, blocked)
RUNG(3, register_tile)
RUNG(4, packed)
RUNG(5, vector)
RUNG(6, openmp)
RUNG(7, in_place)
RUNG(8, masked)
RUNG(9, prefetch)
RUNG(10, tall_skinny)
RUNG(11, expert)

/* Odd shapes, large enough for all threads: the bits of one thread are the bits of all. */
static void
check_threads_of(int rung, const Case *c)
{
    Operands o = operands_create(c);
    float *first = ARRAY(float, o.c_size), *got = ARRAY(float, o.c_size);
    for (int threads = 1; threads <= 4; threads++) {
        float *C = threads == 1 ? first : got;
        host_set_threads(threads);
        memcpy(C, o.C, o.c_size * sizeof(float));
        run(rung, c, &o, C);
        ck_assert_msg(memcmp(C, first, o.c_size * sizeof(float)) == 0, "%s: %d threads gave other bits",
                      rungs[rung].name, threads);
    }
    array_free(first);
    array_free(got);
    operands_free(&o);
}

static void
check_threads(const Case *c)
{
    for (int rung = 0; rung < COUNT(rungs); rung++)
        check_threads_of(rung, c);
}

/* An A larger than the caches: K in one block and in several; N of full tiles, with edge columns, and of edge columns only. */
TEST(top_rungs_take_a_tall_a)
{
    static const Case tall[] = {
        {false, false, 2901, 2 * VECTOR_LANES, 1260, 1, 0.5F},
        {false, false, 2901, VECTOR_LANES + 5 * VECTOR_LANES / 8, 1280, 1, -1},
        {false, false, 2901, 5 * VECTOR_LANES / 8, 1281, -1, 1},
        {false, false, 2905, 4 * VECTOR_LANES + 1, 1300, 1, 1},
        {false, false, 6150, VECTOR_LANES + 3, 1290, 0.5F, 2}, /* two blocks of rows, B in place */
        {false, true, 3101, VECTOR_LANES + 7, 1300, 1, 3},
        {true, false, 2901, 10, 1281, 1, 0},
        {false, false, 60001, 2, 64, 1, 0}};
    for (int i = 0; i < COUNT(tall); i++) {
        for (int rung = 10; rung < COUNT(rungs); rung++) {
            host_set_threads(1);
            check_rung(rung, &tall[i]);
            check_threads_of(rung, &tall[i]);
        }
    }
}

TEST(bits_do_not_depend_on_threads_when_wide)
{
    check_threads(&(Case){false, true, 37, 263, 301, 1, 0});
    check_threads(&(Case){true, false, 5, 1031, 509, 0.5F, 2});
    check_threads(&(Case){false, false, 1, 4111, 519, 1, 0});
    check_threads(&(Case){false, false, 13, 1500, 1037, 1, 0});
    check_threads(&(Case){false, false, 5, 2050, 2100, 1, 1});
    check_threads(
        &(Case){false, true, 120, 8 * TILE_COLUMNS - 3, 301, 1, 0}); /* panels of columns for 2 threads and for 4 */
    check_threads(&(Case){true, true, 120, 8 * TILE_COLUMNS - 3, 301, 1, 0});
}

TEST(bits_do_not_depend_on_threads_when_tall)
{
    check_threads(&(Case){false, false, 263, 37, 301, 1, 1});
    check_threads(&(Case){true, true, 1031, 5, 509, -1, 0});
    check_threads(&(Case){false, false, 1031, 10, 509, 1, 0});
    check_threads(&(Case){false, false, 203, 530, 1030, 1, 0});
    check_threads(&(Case){false, false, 301, 195, 67, 1, 0});
    check_threads(&(Case){false, false, 23, 42, 1024, 1, 0}); /* fewer than 8 rows for each of 3 threads */
    check_threads(&(Case){false, false, 60, 10, 3079, 1, 2});
    check_threads(&(Case){false, true, 2100, 3, 1025, 1, 2}); /* blocks of rows, for each of which B is packed */
}

/* The checker itself: a reference that is off by a thousandth is not accepted. */
TEST(a_wrong_product_is_noticed)
{
    const Case c = {false, false, 5, 7, 11, 1, 0};
    Operands o = operands_create(&c);
    double *want = reference(&c, &o);
    run(0, &c, &o, o.C);
    o.C[2 * o.ldc + 3] += 1e-3F;
    const Verdict verdict = verify_against(o.C + 2 * o.ldc, want + 2 * o.ldc, 7, 1e-5, 0);
    ck_assert_uint_eq(verdict.wrong, 1);
    ck_assert_uint_eq(verdict.first, 3);
    array_free(want);
    operands_free(&o);
}

TEST_MAIN("gemm")
