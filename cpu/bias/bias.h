/* Sums of activations and gradients: a bias for each column of y[rows][columns] (dense, both >= 0), and sums of arrays.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_BIAS_H
#define CPU_BIAS_H

#include <stddef.h>

/* y[r][c] = bias[c]: a matrix product then adds to it. */
void bias_fill(int rows, int columns, const float *bias, float *y);

/* dbias[c] += sum over r of dy[r][c]. Threads share the columns, so that no sum is split. */
void bias_gradient(int rows, int columns, const float *dy, float *dbias);

/* y += x, n elements that do not overlap. */
void add_into(size_t n, const float *x, float *y);

#endif
