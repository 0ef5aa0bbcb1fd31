/* Copies of matrices: see copy.h. The way through memory is the whole cost.
 * SPDX-License-Identifier: MIT */
#include "cpu/copy/copy.h"
#include "cpu/chunks.h"
#include <string.h>

void
copy_rows(size_t rows, size_t columns, const float *x, size_t ldx, float *y, size_t ldy)
{
    if (rows == 1 || (ldx == columns && ldy == columns)) { /* one long row */
        const size_t n = rows * columns;
        IN_CHUNKS(n, first, count, memcpy(y + first, x + first, count * sizeof(float)));
        return;
    }
#pragma omp parallel for schedule(static) if (rows * columns >= CHUNKS_MIN)
    for (size_t r = 0; r < rows; r++)
        memcpy(y + r * ldy, x + r * ldx, columns * sizeof(float));
}

void
clear_array(size_t n, float *x)
{
    memset(x, 0, n * sizeof(float));
}
