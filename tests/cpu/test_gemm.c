/* Every rung of the matrix product against a reference that sums in double: all transposes, shapes around the tiles, rows further
 * apart than they are long, all kinds of alpha and beta, NaN where it must vanish and where it must come through.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/host.h"
#include "core/rng.h"
#include "core/vector.h"
#include "cpu/gemm/gemm.h"
#include "ladder/verify.h"
#include "tests/testing.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    Gemm *run;
} rungs[] = {{"naive", gemm_naive}, {"reordered", gemm_reordered}, {"register_tile", gemm_register_tile}};
enum { RUNGS = sizeof(rungs) / sizeof(rungs[0]), GAP = 3 };

typedef struct Case {
    bool transpose_a, transpose_b;
    int M, N, K;
    float alpha, beta;
} Case;

/* Operands with GAP floats of NaN behind each row: a kernel that reads them shows it. */
typedef struct Operands {
    float *A, *B, *C;
    size_t lda, ldb, ldc, c_size;
} Operands;

static float *
padded(size_t rows, size_t columns, uint64_t stream)
{
    float *x = ARRAY(float, rows *(columns + GAP) + 1);
    for (size_t r = 0; r < rows; r++) {
        rng_fill_uniform(7, stream, r * columns, x + r * (columns + GAP), columns, -1, 1);
        for (size_t g = 0; g < GAP; g++)
            x[r * (columns + GAP) + columns + g] = NAN;
    }
    return x;
}

static Operands
operands_create(const Case *c)
{
    const size_t M = (size_t)c->M, N = (size_t)c->N, K = (size_t)c->K;
    Operands o = {.lda = (c->transpose_a ? M : K) + GAP, .ldb = (c->transpose_b ? K : N) + GAP, .ldc = N + GAP};
    o.A = c->transpose_a ? padded(K, M, 1) : padded(M, K, 1);
    o.B = c->transpose_b ? padded(N, K, 2) : padded(K, N, 2);
    o.C = padded(M, N, 3);
    o.c_size = M * o.ldc;
    return o;
}

static void
operands_free(Operands *o)
{
    array_free(o->A);
    array_free(o->B);
    array_free(o->C);
}

/* want[M][ldc], in double; what lies between the rows stays as in C. */
static double *
reference(const Case *c, const Operands *o)
{
    double *want = ARRAY(double, o->c_size + 1);
    for (size_t i = 0; i < o->c_size; i++)
        want[i] = o->C[i];
    for (size_t m = 0; m < (size_t)c->M; m++) {
        for (size_t n = 0; n < (size_t)c->N; n++) {
            double sum = 0, *at = &want[m * o->ldc + n];
            for (size_t k = 0; k < (size_t)c->K; k++)
                sum += (double)o->A[c->transpose_a ? k * o->lda + m : m * o->lda + k] *
                       o->B[c->transpose_b ? n * o->ldb + k : k * o->ldb + n];
            *at = c->beta == 0 ? c->alpha * sum : c->alpha * sum + c->beta * *at;
        }
    }
    return want;
}

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
        char text[200];
        verdict_print(&verdict, text, sizeof text);
        ck_assert_msg(verdict_ok(&verdict), "%s %d%d M %d N %d K %d alpha %g beta %g, row %zu: %s", rungs[rung].name,
                      c->transpose_a, c->transpose_b, c->M, c->N, c->K, c->alpha, c->beta, m, text);
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

/* 0, 1, primes, and the tiles of rung 3 on this machine (12 or 6 rows, 2 vectors) with their neighbours. */
static const int sizes[] = {
    0, 1, 2, 5, 6, 7, 11, 12, 13, 17, 2 * VECTOR_LANES - 1, 2 * VECTOR_LANES, 2 * VECTOR_LANES + 1, 37};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static void
check_all_shapes(int rung)
{
    for (int m = 0; m < SIZES; m++)
        for (int n = 0; n < SIZES; n++)
            for (int k = 0; k < SIZES; k += 3)
                check_shape(rung, sizes[m], sizes[n], sizes[k], 1, 0);
}

static void
check_all_scales(int rung)
{
    static const float scales[] = {0, 1, -1, 0.5F, 3};
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 5; b++)
            check_shape(rung, 13, 35, 7, scales[a], scales[b]);
}

static void
check_long_sums(int rung)
{
    static const int lengths[] = {255, 256, 257, 511, 512, 513, 1031};
    for (int i = 0; i < 7; i++) {
        check_shape(rung, 7, 5, lengths[i], 1, 0);
        check_shape(rung, 3, 33, lengths[i], -0.5F, 2);
    }
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
    START_TEST(name##_takes_every_shape)                                                                               \
    {                                                                                                                  \
        check_all_shapes(number);                                                                                      \
    }                                                                                                                  \
    END_TEST                                                                                                           \
    START_TEST(name##_scales)                                                                                          \
    {                                                                                                                  \
        check_all_scales(number);                                                                                      \
    }                                                                                                                  \
    END_TEST                                                                                                           \
    START_TEST(name##_sums_over_many_blocks)                                                                           \
    {                                                                                                                  \
        check_long_sums(number);                                                                                       \
    }                                                                                                                  \
    END_TEST                                                                                                           \
    START_TEST(name##_passes_nan_on)                                                                                   \
    {                                                                                                                  \
        check_nan(number);                                                                                             \
    }                                                                                                                  \
    END_TEST

RUNG(0, naive)
RUNG(1, reordered)
RUNG(2, register_tile)

/* Odd shapes, large enough for all threads: the bits of one thread are the bits of all. */
static void
check_threads(const Case *c)
{
    Operands o = operands_create(c);
    float *first = ARRAY(float, o.c_size), *got = ARRAY(float, o.c_size);
    for (int rung = 0; rung < RUNGS; rung++) {
        for (int threads = 1; threads <= 4; threads++) {
            float *C = threads == 1 ? first : got;
            host_set_threads(threads);
            memcpy(C, o.C, o.c_size * sizeof(float));
            run(rung, c, &o, C);
            ck_assert_msg(memcmp(C, first, o.c_size * sizeof(float)) == 0, "%s: %d threads gave other bits",
                          rungs[rung].name, threads);
        }
    }
    array_free(first);
    array_free(got);
    operands_free(&o);
}

START_TEST(bits_do_not_depend_on_threads_when_wide)
{
    check_threads(&(Case){false, true, 37, 263, 301, 1, 0});
    check_threads(&(Case){true, false, 5, 1031, 509, 0.5F, 2});
}
END_TEST

START_TEST(bits_do_not_depend_on_threads_when_tall)
{
    check_threads(&(Case){false, false, 263, 37, 301, 1, 1});
    check_threads(&(Case){true, true, 1031, 5, 509, -1, 0});
}
END_TEST

/* The checker itself: a reference that is off by a thousandth is not accepted. */
START_TEST(a_wrong_product_is_noticed)
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
END_TEST

TEST_MAIN("gemm", naive_takes_every_shape, naive_scales, naive_sums_over_many_blocks, naive_passes_nan_on,
          reordered_takes_every_shape, reordered_scales, reordered_sums_over_many_blocks, reordered_passes_nan_on,
          register_tile_takes_every_shape, register_tile_scales, register_tile_sums_over_many_blocks,
          register_tile_passes_nan_on, bits_do_not_depend_on_threads_when_wide, bits_do_not_depend_on_threads_when_tall,
          a_wrong_product_is_noticed)
