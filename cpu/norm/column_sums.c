/* Sums over rows, in a fixed number of blocks: see column_sums.h. SPDX-License-Identifier: MIT */
#include "cpu/norm/column_sums.h"
#include "core/workspace.h"
#include "cpu/chunks.h"
#include <string.h>

enum { BLOCKS = 32 };

/* Each of at least CHUNK elements and a row. */
static size_t
blocks_of(size_t rows, size_t channels)
{
    const size_t most = rows * channels / CHUNK;
    const size_t count = most < 1 ? 1 : most < BLOCKS ? most : BLOCKS;
    return count < rows ? count : rows;
}

double *
column_sums(size_t rows, size_t channels, ColumnPart *part, const void *problem)
{
    const size_t count = blocks_of(rows, channels), sums = 2 * channels;
    const size_t whole = count > 0 ? count : 1;
    double *sum = workspace(2 * whole * sums * sizeof(double) + 1); /* never NULL */
    void *behind = sum + whole * sums;
    float *parts = behind;
    memset(sum, 0, sums * sizeof(double));
#pragma omp parallel for schedule(static) if (count > 1)
    for (size_t k = 0; k < count; k++) {
        double *mine = sum + k * sums;
        memset(mine, 0, sums * sizeof(double));
        part(problem, k * rows / count, (k + 1) * rows / count, parts + 2 * k * sums, mine);
    }
    for (size_t k = 1; k < count; k++)
        for (size_t c = 0; c < sums; c++)
            sum[c] += sum[k * sums + c];
    return sum;
}

void
column_rows(size_t rows, size_t channels, ColumnRows *apply, const void *problem)
{
    const size_t count = blocks_of(rows, channels);
#pragma omp parallel for schedule(static) if (count > 1)
    for (size_t k = 0; k < count; k++)
        apply(problem, k * rows / count, (k + 1) * rows / count);
}
