/* BLAS, level 2: sgemv, a matrix times a vector.
 *
 * A column-major matrix is its transpose stored row-major: Fortran's y = A x is our y = A^T x. For
 * the rows of our A as stored that is x^T A, a matrix product whose first matrix has one row.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "cpu/blas/internal.h"

/* The parameters of the Fortran routine, in its order. Those of the C routine count one more: the order stands first. */
enum { TRANS = 1, M_ROWS, N_COLUMNS, ALPHA, A_MATRIX, LDA, X_VECTOR, INCX, BETA, Y_VECTOR, INCY };

/* The first illegal one, or 0. `line` is the number of contiguous elements: of a row (of a column, for Fortran). */
static int
illegal_parameter(int transpose, int M, int N, int line, int lda, int incx, int incy)
{
    return transpose == BLAS_UNKNOWN     ? TRANS
           : M < 0                       ? M_ROWS
           : N < 0                       ? N_COLUMNS
           : lda < (line > 1 ? line : 1) ? LDA
           : incx == 0                   ? INCX
           : incy == 0                   ? INCY
                                         : 0;
}

/* A contiguous copy of the vector. */
static float *
gather(int n, const float *x, int increment)
{
    float *copy = ARRAY(float, (size_t)n);
    x += blas_start(n, increment);
    for (ptrdiff_t i = 0; i < n; i++)
        copy[i] = x[i * increment];
    return copy;
}

static void
scatter(int n, const float *copy, float *x, int increment)
{
    x += blas_start(n, increment);
    for (ptrdiff_t i = 0; i < n; i++)
        x[i * increment] = copy[i];
}

/* y = alpha op(A) x + beta y, A row-major [M][N], x and y contiguous. alpha = 0 must not read A or x: no columns does that. */
static void
multiply_dense(bool transpose, int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    static const float nothing[1] = {0.0f};
    if (alpha == 0.0f)
        blas_gemv(transpose ? N : M, 0, alpha, nothing, 1, nothing, beta, y);
    else if (transpose)
        blas_gemm(false, false, 1, N, M, alpha, x, M, A, lda, beta, y, N);
    else
        blas_gemv(M, N, alpha, A, lda, x, beta, y);
}

/* The same for vectors with a stride. */
static void
multiply(bool transpose, int M, int N, float alpha, const float *A, int lda, const float *x, int incx, float beta,
         float *y, int incy)
{
    const int x_length = transpose ? M : N, y_length = transpose ? N : M;
    if (M == 0 || N == 0 || (alpha == 0.0f && beta == 1.0f))
        return;
    float *x_copy = incx == 1 || alpha == 0.0f ? NULL : gather(x_length, x, incx);
    float *y_copy = incy == 1 ? NULL : gather(y_length, y, incy);
    multiply_dense(transpose, M, N, alpha, A, lda, x_copy ? x_copy : x, beta, y_copy ? y_copy : y);
    if (y_copy)
        scatter(y_length, y_copy, y, incy);
    array_free(x_copy);
    array_free(y_copy);
}

void
sgemv_(const char *trans, const int *m, const int *n, const float *alpha, const float *a, const int *lda,
       const float *x, const int *incx, const float *beta, float *y, const int *incy)
{
    const int transpose = blas_transpose_letter(trans);
    const int illegal = illegal_parameter(transpose, *m, *n, *m, *lda, *incx, *incy);
    if (illegal)
        blas_illegal("SGEMV ", illegal);
    else
        multiply(!transpose, *n, *m, *alpha, a, *lda, x, *incx, *beta, y, *incy);
}

/* See illegal.c. */
static int
mirrored(int parameter)
{
    return parameter == M_ROWS ? N_COLUMNS : parameter == N_COLUMNS ? M_ROWS : parameter;
}

void
cblas_sgemv(int order, int trans, int M, int N, float alpha, const float *A, int lda, const float *x, int incx,
            float beta, float *y, int incy)
{
    const bool row_major = order == BLAS_ROW_MAJOR;
    const int transpose = blas_transpose_number(trans);
    const int illegal = illegal_parameter(transpose, M, N, row_major ? N : M, lda, incx, incy);
    if (!row_major && order != BLAS_COLUMN_MAJOR)
        blas_illegal_c("cblas_sgemv", 1, 1);
    else if (illegal)
        blas_illegal_c("cblas_sgemv", 1 + illegal, 1 + mirrored(illegal));
    else if (row_major)
        multiply(transpose, M, N, alpha, A, lda, x, incx, beta, y, incy);
    else
        multiply(!transpose, N, M, alpha, A, lda, x, incx, beta, y, incy);
}
