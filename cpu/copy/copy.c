/* Copies of matrices: see copy.h. Memory-bound.
 * SPDX-License-Identifier: MIT */
#include "cpu/copy/copy.h"
#include "core/nontemporal.h"
#include "cpu/chunks.h"
#include <string.h>

static void
copy_part(bool streamed, size_t n, const float *x, float *y)
{
    if (!streamed) {
        memcpy(y, x, n * sizeof(float));
        return;
    }
    nontemporal_copy(y, x, n * sizeof(float));
    stream_end();
}

void
copy_rows(size_t rows, size_t columns, const float *x, size_t ldx, float *y, size_t ldy)
{
    if (rows == 1 || (ldx == columns && ldy == columns)) { /* one long row */
        const size_t n = rows * columns;
        const bool streamed = nontemporal_pays(n * sizeof(float));
        IN_CHUNKS(n, first, count, copy_part(streamed, count, x + first, y + first));
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
