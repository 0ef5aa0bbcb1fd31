/* Bias: rows outside, columns inside, so that memory is walked in its order and the inner loop becomes vector code.
 * SPDX-License-Identifier: MIT */
#include "cpu/bias/bias.h"
#include "cpu/chunks.h"
#include <string.h>

void
bias_fill(int rows, int columns, const float *bias, float *y)
{
    for (size_t r = 0; r < (size_t)rows; r++)
        memcpy(y + r * (size_t)columns, bias, sizeof(float) * (size_t)columns);
}

static void
gradient_part(size_t rows, size_t stride, size_t columns, const float *restrict dy, float *restrict dbias)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++)
            dbias[c] += dy[r * stride + c];
}

void
bias_gradient(int rows, int columns, const float *dy, float *dbias)
{
    enum { STRIP = 64 };
    const size_t R = (size_t)rows, C = (size_t)columns;
    if (R * C < CHUNKS_MIN) {
        gradient_part(R, C, C, dy, dbias);
        return;
    }
#pragma omp parallel for schedule(static)
    for (size_t c = 0; c < C; c += STRIP)
        gradient_part(R, C, C - c < STRIP ? C - c : STRIP, dy + c, dbias + c);
}

static void
add_part(size_t n, const float *restrict x, float *restrict y)
{
    for (size_t i = 0; i < n; i++)
        y[i] += x[i];
}

void
add_into(size_t n, const float *x, float *y)
{
    IN_CHUNKS(n, first, count, add_part(count, x + first, y + first));
}
