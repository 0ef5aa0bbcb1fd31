/* See grade_product.h. SPDX-License-Identifier: MIT */
#include "grade_product.h"
#include "core/array.h"
#include "grade.h"
#include "ladder/verify.h"
#include <stdio.h>
#include <string.h>

enum { LONGEST_GAP = 3 };

/* A stored matrix whose rows begin `ld` floats from each other. */
typedef struct Matrix {
    int rows, columns, ld;
    size_t floats;
    float *x;
} Matrix;

static Matrix
matrix_create(Rng *rng, int rows, int columns)
{
    Matrix m = {.rows = rows, .columns = columns, .ld = columns + (int)rng_below(rng, LONGEST_GAP + 1)};
    m.ld += m.ld == 0; /* BLAS wants at least 1 */
    m.floats = (size_t)rows * (size_t)m.ld;
    m.x = ARRAY(float, m.floats);
    grade_poison_floats(m.x, m.floats);
    return m;
}

/* Whole numbers from -4 to 4 in the matrix, not behind its rows. */
static void
fill(Rng *rng, const Matrix *m, float *x)
{
    for (size_t i = 0; i < (size_t)m->rows; i++)
        for (size_t j = 0; j < (size_t)m->columns; j++)
            x[i * (size_t)m->ld + j] = (float)rng_below(rng, 9) - 4;
}

static float
element(const Matrix *m, bool transposed, size_t row, size_t column)
{
    return transposed ? m->x[column * (size_t)m->ld + row] : m->x[row * (size_t)m->ld + column];
}

/* What C must become; all of it is exact. */
static void
compute_wanted(const Matrix *A, const Matrix *B, const Matrix *C, const ProductShape *shape, const ProductWay *way,
               double *want)
{
    for (size_t m = 0; m < (size_t)shape->M; m++)
        for (size_t n = 0; n < (size_t)shape->N; n++) {
            double dot = 0;
            for (size_t k = 0; k < (size_t)shape->K; k++)
                dot += (double)element(A, way->transpose_a, m, k) * (double)element(B, way->transpose_b, k, n);
            double before = way->beta == 0 ? 0 : (double)way->beta * (double)element(C, false, m, n);
            want[m * (size_t)shape->N + n] = (double)way->alpha * dot + before;
        }
}

/* Compares the rows of C, of which `got` is what the function left and C what was there before. */
static void
compare(const Matrix *C, const float *got, const double *want, const char *text)
{
    const size_t rows = (size_t)C->rows, columns = (size_t)C->columns, ld = (size_t)C->ld;
    float *dense = ARRAY(float, rows *columns);
    for (size_t i = 0; i < rows; i++)
        memcpy(dense + i * columns, got + i * ld, columns * sizeof(float));
    grade_floats(dense, want, rows, columns, 0, "%s", text);
    for (size_t i = 0; i < rows; i++)
        grade_that(memcmp(got + i * ld + columns, C->x + i * ld + columns, (ld - columns) * sizeof(float)) == 0,
                   "%s: what lies behind row %zu of C was changed (ldc is %zu, N is %zu)", text, i, ld, columns);
    array_free(dense);
}

void
grade_product(Gemm *gemm, Rng *rng, ProductShape s, ProductWay way)
{
    char text[160];
    snprintf(text, sizeof(text), "M = %d, N = %d, K = %d%s%s, alpha = %g, beta = %g", s.M, s.N, s.K,
             way.transpose_a ? ", A transposed" : "", way.transpose_b ? ", B transposed" : "", (double)way.alpha,
             (double)way.beta);
    Matrix A = way.transpose_a ? matrix_create(rng, s.K, s.M) : matrix_create(rng, s.M, s.K);
    Matrix B = way.transpose_b ? matrix_create(rng, s.N, s.K) : matrix_create(rng, s.K, s.N);
    Matrix C = matrix_create(rng, s.M, s.N);
    fill(rng, &A, A.x);
    fill(rng, &B, B.x);
    if (way.beta != 0)
        fill(rng, &C, C.x);
    double *want = ARRAY(double, (size_t)s.M *(size_t)s.N);
    compute_wanted(&A, &B, &C, &s, &way, want);
    Guarded got = guarded_create(C.floats);
    guarded_poison(&got);
    memcpy(got.x, C.x, C.floats * sizeof(float));
    gemm(way.transpose_a, way.transpose_b, s.M, s.N, s.K, way.alpha, A.x, A.ld, B.x, B.ld, way.beta, got.x, C.ld);
    compare(&C, got.x, want, text);
    grade_that(guarded_intact(&got), "%s: something before or behind C was changed", text);
    guarded_free(&got);
    array_free(A.x);
    array_free(B.x);
    array_free(C.x);
    array_free(want);
}

void
grade_product_shapes(Gemm *gemm, const ProductShape *shapes, size_t count)
{
    Rng rng = grade_rng();
    for (size_t i = 0; i < count; i++)
        grade_product(gemm, &rng, shapes[i], (ProductWay){.alpha = 1});
}

void
grade_product_transposes(Gemm *gemm, ProductShape shape)
{
    Rng rng = grade_rng();
    for (int i = 1; i < 4; i++)
        grade_product(gemm, &rng, shape, (ProductWay){i % 2 == 1, i >= 2, 1, 0});
}

void
grade_product_factors(Gemm *gemm, ProductShape shape)
{
    const ProductWay ways[] = {{.alpha = 1, .beta = 1},     {.alpha = -2, .beta = 0},   {.alpha = 0.5f, .beta = 2},
                               {.alpha = 1, .beta = -0.5f}, {.alpha = 0, .beta = 0.5f}, {.alpha = 0, .beta = 0}};
    Rng rng = grade_rng();
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        grade_product(gemm, &rng, shape, ways[i]);
        grade_product(gemm, &rng, (ProductShape){shape.M, shape.N, 0}, ways[i]);
    }
}
