/* Copies of matrices: rows that lie apart in one place and together, or further apart, in the other.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_COPY_H
#define CPU_COPY_H

#include <stddef.h>

/* y[r][c] = x[r][c], r < rows, c < columns; rows begin ldx and ldy numbers apart. x and y do not overlap. */
void copy_rows(size_t rows, size_t columns, const float *x, size_t ldx, float *y, size_t ldy);

/* x = 0, n numbers. */
void clear_array(size_t n, float *x);

#endif
