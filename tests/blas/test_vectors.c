/* sgemv, sdot and saxpy of the drop-in BLAS: increments in both directions and with gaps, every transpose, long vectors, what must
 * not be read and what must not be written.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "cpu/blas/blas.h"
#include "tests/testing.h"

/* A vector as the BLAS stores it: element i at x[start + i * increment], NaN between the elements. */
typedef struct Strided {
    int n, increment;
    size_t size;
    Guarded memory;
} Strided;

static size_t
place(const Strided *v, int i)
{
    const size_t step = (size_t)abs(v->increment);
    return v->increment < 0 ? (size_t)(v->n - 1 - i) * step : (size_t)i * step;
}

static Strided
strided_create(int n, int increment, uint64_t stream)
{
    Strided v = {n, increment, n > 0 ? (size_t)(n - 1) * (size_t)abs(increment) + 1 : 0, {0}};
    v.memory = guarded_create(v.size);
    guarded_poison(&v.memory);
    for (int i = 0; i < n; i++)
        rng_fill_uniform(9, stream, (uint64_t)i, v.memory.x + place(&v, i), 1, -1, 1);
    return v;
}

static double
at(const Strided *v, int i)
{
    return v->memory.x[place(v, i)];
}

/* want[i] is element i; all else must have the bits of `before`. */
static void
check_vector(const Strided *got, const Strided *before, const double *want, double atol, const char *what)
{
    const size_t words = got->size;
    unsigned char *is_element = ARRAY(unsigned char, words + 1);
    for (int i = 0; i < got->n; i++) {
        ck_assert_msg(fabs(at(got, i) - want[i]) <= atol, "%s: element %d of %d (increment %d) is %g, expected %g",
                      what, i, got->n, got->increment, at(got, i), want[i]);
        is_element[place(got, i)] = 1;
    }
    for (size_t w = 0; w < words; w++)
        ck_assert_msg(is_element[w] || memcmp(got->memory.x + w, before->memory.x + w, sizeof(float)) == 0,
                      "%s wrote between the elements", what);
    ck_assert_msg(guarded_intact(&got->memory), "%s wrote outside", what);
    array_free(is_element);
}

typedef enum Door { FORTRAN, C_COLUMNS, C_ROWS, DOORS } Door;
static const int increments[] = {1, 2, -1, -3};

/* ---- gemv ---- */

typedef struct Case {
    Door door;
    char trans;
    int M, N, incx, incy;
    float alpha, beta;
} Case;

static void
call_gemv(const Case *c, const float *A, int lda, const float *x, float *y)
{
    const int trans = c->trans == 'N' ? BLAS_NO_TRANSPOSE : c->trans == 'T' ? BLAS_TRANSPOSE : BLAS_CONJUGATE_TRANSPOSE;
    if (c->door == FORTRAN)
        sgemv_(&c->trans, &c->M, &c->N, &c->alpha, A, &lda, x, &c->incx, &c->beta, y, &c->incy);
    else
        cblas_sgemv(c->door == C_ROWS ? BLAS_ROW_MAJOR : BLAS_COLUMN_MAJOR, trans, c->M, c->N, c->alpha, A, lda, x,
                    c->incx, c->beta, y, c->incy);
}

static void
check_gemv(const Case *c)
{
    enum { GAP = 2 };
    const bool by_rows = c->door == C_ROWS, transposed = c->trans != 'N';
    const int lines = by_rows ? c->M : c->N, length = by_rows ? c->N : c->M, lda = length + GAP;
    const int x_length = transposed ? c->M : c->N, y_length = transposed ? c->N : c->M;
    float *A = ARRAY(float, (size_t)lines *(size_t)lda + 1);
    rng_fill_uniform(9, 1, 0, A, (size_t)lines * (size_t)lda, -1, 1);
    for (int line = 0; line < lines; line++)
        for (int g = 0; g < GAP; g++)
            A[(size_t)line * (size_t)lda + (size_t)(length + g)] = NAN;
    Strided x = strided_create(x_length, c->incx, 2), before = strided_create(y_length, c->incy, 3);
    Strided y = strided_create(y_length, c->incy, 3);
    double *want = ARRAY(double, (size_t)y_length + 1);
    for (int i = 0; i < y_length; i++) {
        double sum = 0;
        for (int j = 0; j < x_length; j++) {
            const size_t row = (size_t)(transposed ? j : i), column = (size_t)(transposed ? i : j);
            sum += A[by_rows ? row * (size_t)lda + column : column * (size_t)lda + row] * at(&x, j);
        }
        want[i] = c->alpha * sum + (c->beta == 0 ? 0 : c->beta * at(&y, i));
        if (c->beta == 0)
            y.memory.x[place(&y, i)] = NAN;
    }
    call_gemv(c, A, lda, x.memory.x, y.memory.x);
    const double atol = 6e-8 * (x_length + 3) * (fabs(c->alpha) * sqrt(x_length) + fabs(c->beta) + 1);
    check_vector(&y, &before, want, atol, "gemv");
    guarded_free(&x.memory);
    guarded_free(&y.memory);
    guarded_free(&before.memory);
    array_free(A);
    array_free(want);
}

TEST(gemv_takes_every_shape)
{
    static const int sizes[] = {1, 2, 7, 16, 33};
    for (int i = 0; i < 25; i++)
        for (Door door = 0; door < DOORS; door++)
            for (int k = 0; k < 16; k++)
                for (int t = 0; t < 3; t++)
                    check_gemv(&(Case){door, "NTC"[t], sizes[i % 5], sizes[i / 5], increments[k % 4], increments[k / 4],
                                       1, k % 2 ? 1 : 0});
}

TEST(gemv_scales)
{
    static const float scales[] = {0, 1, -0.5F, 3};
    for (int i = 0; i < 16; i++)
        for (Door door = 0; door < DOORS; door++)
            for (int t = 0; t < 2; t++)
                check_gemv(&(Case){door, "NT"[t], 13, 19, -2, 3, scales[i % 4], scales[i / 4]});
}

TEST(gemv_of_many_elements)
{
    for (Door door = 0; door < DOORS; door++)
        for (int t = 0; t < 2; t++) {
            check_gemv(&(Case){door, "NT"[t], 521, 769, 1, 1, 1, 1});
            check_gemv(&(Case){door, "NT"[t], 3, 40009, 1, -2, 1, 0});
            check_gemv(&(Case){door, "NT"[t], 40009, 2, 2, 1, -1, 0.5F});
        }
}

/* An address that may not be read. */
static float *const forbidden = (float *)4096;

/* As the reference has it: no rows or no columns, and y keeps what it has, beta or not. */
TEST(gemv_does_nothing_where_there_is_nothing_to_do)
{
    for (Door door = 0; door < DOORS; door++)
        for (int t = 0; t < 2; t++) {
            call_gemv(&(Case){door, "NT"[t], 0, 5, 1, 1, 1, 0}, forbidden, 5, forbidden, forbidden);
            call_gemv(&(Case){door, "NT"[t], 5, 0, 1, 1, 1, 0}, forbidden, 5, forbidden, forbidden);
            call_gemv(&(Case){door, "NT"[t], 5, 5, 1, -1, 0, 1}, forbidden, 5, forbidden, forbidden);
        }
}

TEST(gemv_with_alpha_zero_reads_neither_a_nor_x)
{
    for (Door door = 0; door < DOORS; door++)
        for (int t = 0; t < 2; t++) {
            float y[2] = {1, 2}, z[2] = {NAN, INFINITY};
            call_gemv(&(Case){door, "NT"[t], 2, 2, -1, 1, 0, 3}, forbidden, 2, forbidden, y);
            ck_assert_floats(y, ((const float[]){3, 6}), 2, 0, 0);
            call_gemv(&(Case){door, "NT"[t], 2, 2, 1, -1, 0, 0}, forbidden, 2, forbidden, z);
            ck_assert_floats(z, ((const float[]){0, 0}), 2, 0, 0);
        }
}

/* ---- dot and axpy ---- */

static void
check_dot_and_axpy(int n, int incx, int incy)
{
    const float alpha = -1.5F;
    Strided x = strided_create(n, incx, 4), before = strided_create(n, incy, 5);
    Strided y = strided_create(n, incy, 5), z = strided_create(n, incy, 5);
    double dot = 0, *want = ARRAY(double, (size_t)n + 1);
    for (int i = 0; i < n; i++) {
        dot += at(&x, i) * at(&y, i);
        want[i] = at(&y, i) + alpha * at(&x, i);
    }
    const double atol = 1e-7 * (n + 1);
    const float sum = cblas_sdot(n, x.memory.x, incx, y.memory.x, incy);
    ck_assert_msg(fabs(sum - dot) <= atol, "dot of %d, %d, %d: %g, not %g", n, incx, incy, sum, dot);
    ck_assert_float_eq(sdot_(&n, x.memory.x, &incx, y.memory.x, &incy), sum);
    cblas_saxpy(n, alpha, x.memory.x, incx, y.memory.x, incy);
    saxpy_(&n, &alpha, x.memory.x, &incx, z.memory.x, &incy);
    check_vector(&y, &before, want, 3e-7, "cblas_saxpy");
    check_vector(&z, &before, want, 3e-7, "saxpy_");
    guarded_free(&x.memory);
    guarded_free(&y.memory);
    guarded_free(&z.memory);
    guarded_free(&before.memory);
    array_free(want);
}

TEST(dot_and_axpy_take_every_length_and_increment)
{
    static const int lengths[] = {1, 2, 3, 4, 5, 15, 16, 17, 31, 127, 1001};
    for (size_t i = 0; i < COUNT(lengths); i++)
        for (int k = 0; k < 16; k++)
            check_dot_and_axpy(lengths[i], increments[k % 4], increments[k / 4]);
    check_dot_and_axpy(70001, 1, 1);
    check_dot_and_axpy(70001, -1, 1);
}

/* Legal at level 1: the same element again and again. */
TEST(increments_may_be_zero)
{
    const float x[3] = {1, 2, 3};
    float y[3] = {5, 6, 7};
    ck_assert_float_eq(cblas_sdot(3, x, 1, y, 0), 30);
    ck_assert_float_eq(cblas_sdot(3, x, 0, y, 0), 15);
    cblas_saxpy(3, 2, x, 1, y, 0);
    ck_assert_floats(y, ((const float[]){17, 6, 7}), 3, 0, 0);
    cblas_saxpy(3, 1, x, 0, y, -1);
    ck_assert_floats(y, ((const float[]){18, 7, 8}), 3, 0, 0);
}

TEST(no_elements_are_not_touched)
{
    for (int n = -7; n <= 0; n += 7) {
        ck_assert_float_eq(cblas_sdot(n, forbidden, 1, forbidden, -1), 0);
        cblas_saxpy(n, 1, forbidden, 1, forbidden, 1);
    }
    cblas_saxpy(5, 0, forbidden, 1, forbidden, 1); /* alpha = 0 */
}

TEST(nan_and_infinity_come_through)
{
    const float x[2] = {NAN, 1}, one[2] = {1, 1};
    float y[2] = {1, INFINITY};
    ck_assert(isnan(cblas_sdot(2, x, 1, one, 1)));
    cblas_saxpy(2, 1, x, 1, y, 1);
    ck_assert(isnan(y[0]) && isinf(y[1]));
}

TEST_MAIN("blas/vectors")
