/* BLAS, level 1: sdot and saxpy.
 *
 * Both are products of a matrix and a vector, so they have no kernels of their own:
 *
 *     dot    x . y           the matrix is one row      [ x0 x1 x2 .. ] y
 *     axpy   alpha x + y     the matrix is one column   alpha [ x0 x1 x2 .. ]^T [ 1 ] + y
 *
 * That is for contiguous elements. With a stride each cache line holds few elements that are used, and a plain loop is as fast.
 * SPDX-License-Identifier: MIT */
#include "cpu/blas/internal.h"

float
cblas_sdot(int n, const float *x, int incx, const float *y, int incy)
{
    float sum = 0.0f;
    if (n <= 0)
        return sum;
    if (incx == 1 && incy == 1) {
        blas_gemv(1, n, 1.0f, x, n, y, 0.0f, &sum);
        return sum;
    }
    x += blas_start(n, incx);
    y += blas_start(n, incy);
    for (ptrdiff_t i = 0; i < n; i++)
        sum += x[i * incx] * y[i * incy];
    return sum;
}

void
cblas_saxpy(int n, float alpha, const float *x, int incx, float *y, int incy)
{
    static const float one[1] = {1.0f};
    if (n <= 0 || alpha == 0.0f)
        return;
    if (incx == 1 && incy == 1) {
        blas_gemv(n, 1, alpha, x, 1, one, 1.0f, y);
        return;
    }
    x += blas_start(n, incx);
    y += blas_start(n, incy);
    for (ptrdiff_t i = 0; i < n; i++)
        y[i * incy] += alpha * x[i * incx];
}

float
sdot_(const int *n, const float *x, const int *incx, const float *y, const int *incy)
{
    return cblas_sdot(*n, x, *incx, y, *incy);
}

void
saxpy_(const int *n, const float *alpha, const float *x, const int *incx, float *y, const int *incy)
{
    cblas_saxpy(*n, *alpha, x, *incx, y, *incy);
}
