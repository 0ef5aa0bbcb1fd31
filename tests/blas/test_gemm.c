/* sgemm of the drop-in BLAS through its three doors (Fortran, C column-major, C row-major) against sums in double: every way to say
 * a transpose, shapes around the tiles, gaps between the lines, what must not be read and what must not be written.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "cpu/blas/blas.h"
#include "tests/testing.h"

enum { GAP = 3 };

typedef enum Door { FORTRAN, C_COLUMNS, C_ROWS, DOORS } Door;

typedef struct Case {
    Door door;
    char transa, transb; /* as Fortran says it */
    int M, N, K;
    float alpha, beta;
} Case;

/* A matrix as stored: lines (rows or columns) of `length` contiguous elements, and GAP behind them. */
typedef struct Matrix {
    int lines, length, ld;
    bool by_rows;
    float *x;
} Matrix;

/* Random numbers, and NaN in the gaps: who reads them shows it. */
static Matrix
matrix_create(Door door, int rows, int columns, uint64_t stream)
{
    const bool by_rows = door == C_ROWS;
    Matrix m = {by_rows ? rows : columns, by_rows ? columns : rows, 0, by_rows, NULL};
    m.ld = m.length + GAP;
    m.x = ARRAY(float, (size_t)m.lines *(size_t)m.ld + 1);
    for (int line = 0; line < m.lines; line++) {
        float *at = m.x + (size_t)line * (size_t)m.ld;
        rng_fill_uniform(5, stream, (uint64_t)line * (uint64_t)m.length, at, (size_t)m.length, -1, 1);
        for (int g = 0; g < GAP; g++)
            at[m.length + g] = NAN;
    }
    return m;
}

static double
element(const Matrix *m, int row, int column)
{
    return m
        ->x[m->by_rows ? (size_t)row * (size_t)m->ld + (size_t)column : (size_t)column * (size_t)m->ld + (size_t)row];
}

static bool
transposed(char letter)
{
    return strchr("TtCc", letter) != NULL;
}

static int
number_of(char letter)
{
    return strchr("Nn", letter) ? BLAS_NO_TRANSPOSE : strchr("Tt", letter) ? BLAS_TRANSPOSE : BLAS_CONJUGATE_TRANSPOSE;
}

static void
call(const Case *c, const float *A, int lda, const float *B, int ldb, float *C, int ldc)
{
    if (c->door == FORTRAN)
        sgemm_(&c->transa, &c->transb, &c->M, &c->N, &c->K, &c->alpha, A, &lda, B, &ldb, &c->beta, C, &ldc);
    else
        cblas_sgemm(c->door == C_ROWS ? BLAS_ROW_MAJOR : BLAS_COLUMN_MAJOR, number_of(c->transa), number_of(c->transb),
                    c->M, c->N, c->K, c->alpha, A, lda, B, ldb, c->beta, C, ldc);
}

/* Element (m, n) of C, in double. */
static double
expected(const Case *c, const Matrix *A, const Matrix *B, const Matrix *C, int m, int n)
{
    double sum = 0;
    for (int k = 0; k < c->K; k++)
        sum += (transposed(c->transa) ? element(A, k, m) : element(A, m, k)) *
               (transposed(c->transb) ? element(B, n, k) : element(B, k, n));
    return c->alpha * sum + (c->beta == 0 ? 0 : c->beta * element(C, m, n));
}

/* The lines of the result against `expected`, and the bits of what lies between them against those of before. */
static void
check_result(const Case *c, const Matrix *A, const Matrix *B, const Matrix *C, const Guarded *got)
{
    const double atol = 6e-8 * (c->K + 2) * (fabs(c->alpha) * sqrt(c->K) + fabs(c->beta) + 1);
    double *want = ARRAY(double, (size_t)C->length + 1);
    for (int line = 0; line < C->lines; line++) {
        const size_t at = (size_t)line * (size_t)C->ld;
        for (int i = 0; i < C->length; i++)
            want[i] = expected(c, A, B, C, C->by_rows ? line : i, C->by_rows ? i : line);
        const Verdict verdict = verify_against(got->x + at, want, (size_t)C->length, atol, 0);
        ck_assert_verdict(verdict, "door %d %c%c M %d N %d K %d alpha %g beta %g, line %d", c->door, c->transa,
                          c->transb, c->M, c->N, c->K, c->alpha, c->beta, line);
        ck_assert_msg(memcmp(got->x + at + C->length, C->x + at + C->length, GAP * sizeof(float)) == 0,
                      "door %d wrote between the lines of C", c->door);
    }
    ck_assert_msg(guarded_intact(got), "door %d wrote outside C", c->door);
    array_free(want);
}

static void
check(Case c)
{
    const bool ta = transposed(c.transa), tb = transposed(c.transb);
    const Matrix A = matrix_create(c.door, ta ? c.K : c.M, ta ? c.M : c.K, 1);
    const Matrix B = matrix_create(c.door, tb ? c.N : c.K, tb ? c.K : c.N, 2);
    const Matrix C = matrix_create(c.door, c.M, c.N, 3);
    const size_t size = (size_t)C.lines * (size_t)C.ld;
    Guarded got = guarded_create(size);
    memcpy(got.x, C.x, size * sizeof(float));
    for (size_t i = 0; c.beta == 0 && i < size; i++)
        if (i % (size_t)C.ld < (size_t)C.length)
            got.x[i] = NAN;
    call(&c, A.x, A.ld, B.x, B.ld, got.x, C.ld);
    check_result(&c, &A, &B, &C, &got);
    guarded_free(&got);
    array_free(A.x);
    array_free(B.x);
    array_free(C.x);
}

TEST(every_door_takes_every_shape)
{
    static const int sizes[] = {0, 1, 2, 5, 13, 31, 33};
    enum { SIZES = COUNT(sizes) };
    for (int i = 0; i < SIZES * SIZES * SIZES; i++)
        for (int transposes = 0; transposes < 4; transposes++)
            for (Door door = 0; door < DOORS; door++)
                check((Case){door, transposes & 1 ? 'T' : 'N', transposes & 2 ? 'T' : 'N', sizes[i % SIZES],
                             sizes[i / SIZES % SIZES], sizes[i / SIZES / SIZES], 1, 0});
}

TEST(transposes_have_many_names)
{
    const char letters[] = "NnTtCc";
    for (int i = 0; i < 36; i++)
        for (Door door = 0; door < DOORS; door++)
            check((Case){door, letters[i % 6], letters[i / 6], 3, 4, 5, 1, 1});
}

TEST(alpha_and_beta_scale)
{
    static const float scales[] = {0, 1, -0.5F, 3};
    for (int i = 0; i < 16; i++)
        for (Door door = 0; door < DOORS; door++) {
            check((Case){door, 'N', 'T', 7, 17, 11, scales[i % 4], scales[i / 4]});
            check((Case){door, 'T', 'N', 7, 17, 0, scales[i % 4], scales[i / 4]});
        }
}

TEST(large_products_on_all_threads)
{
    for (Door door = 0; door < DOORS; door++) {
        check((Case){door, 'N', 'N', 261, 203, 307, 1, 0});
        check((Case){door, 'T', 'T', 203, 391, 257, -1, 1});
        check((Case){door, 'N', 'T', 1, 1021, 1031, 2, 0.5F});
    }
}

/* An address that nobody may read. NULL would do, but for sanitizers that look at arithmetic with it. */
static float *const forbidden = (float *)4096;

/* alpha = 0: A and B may be anything, even nothing. */
TEST(alpha_zero_reads_neither_a_nor_b)
{
    for (Door door = 0; door < DOORS; door++) {
        const Case c = {door, 'N', 'N', 2, 2, 9, 0, 0.5F};
        float C[4] = {1, 2, 3, 4};
        call(&c, forbidden, 9, forbidden, 9, C, 2);
        ck_assert_floats(C, ((const float[]){0.5F, 1, 1.5F, 2}), 4, 0, 0);
    }
}

/* K = 0: whatever alpha is, there is nothing to multiply it with. */
TEST(no_terms_need_no_alpha)
{
    for (Door door = 0; door < DOORS; door++) {
        float C[4] = {1, 2, 3, 4};
        call(&(Case){door, 'N', 'N', 2, 2, 0, NAN, 0.5F}, forbidden, 2, forbidden, 2, C, 2);
        ck_assert_floats(C, ((const float[]){0.5F, 1, 1.5F, 2}), 4, 0, 0);
    }
}

/* A result that stays as it is, or has no elements, is not touched. */
TEST(nothing_to_do_touches_nothing)
{
    for (Door door = 0; door < DOORS; door++) {
        call(&(Case){door, 'N', 'N', 0, 5, 5, 1, 0}, forbidden, 5, forbidden, 5, forbidden, 5);
        call(&(Case){door, 'N', 'T', 5, 0, 5, 1, 0}, forbidden, 5, forbidden, 5, forbidden, 5);
        call(&(Case){door, 'T', 'N', 5, 5, 0, 1, 1}, forbidden, 5, forbidden, 5, forbidden, 5);
        call(&(Case){door, 'T', 'T', 5, 5, 5, 0, 1}, forbidden, 5, forbidden, 5, forbidden, 5);
    }
}

/* The shortest lines that the standard allows: a leading dimension of 1 where there is nothing, or one element. */
TEST(leading_dimensions_may_be_exact)
{
    for (Door door = 0; door < DOORS; door++) {
        const float a[6] = {1, 2, 3, 4, 5, 6};
        float c[1] = {NAN};
        /* a row of six times a column of six, each stored so that its lines have length 1 */
        call(&(Case){door, door == C_ROWS ? 'T' : 'N', door == C_ROWS ? 'N' : 'T', 1, 1, 6, 1, 0}, a, 1, a, 1, c, 1);
        ck_assert_floats(c, ((const float[]){91}), 1, 0, 0);
        call(&(Case){door, 'N', 'N', 1, 1, 0, 1, 2}, a, 1, a, 1, c, 1);
        ck_assert_floats(c, ((const float[]){182}), 1, 0, 0);
    }
}

TEST_MAIN("blas/gemm")
