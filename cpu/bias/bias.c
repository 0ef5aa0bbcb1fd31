/* Bias: rows outside, columns inside, so that memory is walked in its order and the inner loop becomes vector code.
 * SPDX-License-Identifier: MIT */
#include "cpu/bias/bias.h"
#include "cpu/chunks.h"
#include "cpu/partition.h"
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

enum { STRIP = 64, GROUP = 16, PARTS = 16 };

/* Few columns: GROUP rows side by side are one long row, so that few columns still fill vectors.
 *
 *     rows of dy    0 1 2 3 .. 15 | 16 17 ..        sums[GROUP][columns] of all groups, then of the rows of a group */
static void
gradient_of_groups(size_t rows, size_t columns, const float *dy, float *sums)
{
    float wide[GROUP * STRIP] = {0.0f};
    gradient_part(rows / GROUP, GROUP * columns, GROUP * columns, dy, wide);
    gradient_part(1, 0, rows % GROUP * columns, dy + rows / GROUP * GROUP * columns, wide);
    memset(sums, 0, columns * sizeof *sums);
    gradient_part(GROUP, columns, columns, wide, sums);
}

/* Number of chunks of rows: fixed, so that the sums have the same bits with any number of threads. */
static void
gradient_narrow(int rows, size_t columns, const float *dy, float *dbias)
{
    float sums[PARTS][STRIP];
#pragma omp parallel for schedule(static) if ((size_t)rows * columns >= CHUNKS_MIN)
    for (int i = 0; i < PARTS; i++) {
        const int begin = partition_begin(i, PARTS, rows);
        gradient_of_groups((size_t)(partition_begin(i + 1, PARTS, rows) - begin), columns, dy + (size_t)begin * columns,
                           sums[i]);
    }
    gradient_part(PARTS, STRIP, columns, sums[0], dbias);
}

void
bias_gradient(int rows, int columns, const float *dy, float *dbias)
{
    const size_t R = (size_t)rows, C = (size_t)columns;
    if (C < STRIP && R >= PARTS * GROUP) {
        gradient_narrow(rows, C, dy, dbias);
        return;
    }
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
