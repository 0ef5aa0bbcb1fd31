/* Copies of matrices: rows have a stride of their own in either place.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_COPY_H
#define CPU_COPY_H

#include "core/number.h"
#include <stddef.h>

/* y[r][c] = x[r][c], r < rows, c < columns; rows begin ldx and ldy numbers apart. x and y do not overlap. */
void copy_rows(size_t rows, size_t columns, const float *x, size_t ldx, float *y, size_t ldy);

/* x = 0, n numbers. */
void clear_array(size_t n, float *x);

/* y = x, n numbers, between float and a type that they are stored as (core/number.h). Narrowing rounds to the nearest, of two
 * equally near ones to the even one. x and y do not overlap. */
void narrow_array(NumberType type, size_t n, const float *x, void *y);
void widen_array(NumberType type, size_t n, const void *x, float *y);

#endif
