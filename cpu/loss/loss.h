/* The squared error: C = sum over all n elements of 1/2 (target - x)^2, and its gradient dx = scale (x - target).
 * The half makes the gradient free of a factor 2 (lecture 2, error backpropagation). NaN gives NaN.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_LOSS_H
#define CPU_LOSS_H

#include <stddef.h>

/* The sum is in double, in the order of the elements; or in 16 partial sums, which round differently. */
double mse_loss_naive(size_t n, const float *x, const float *target);
double mse_loss_lanes(size_t n, const float *x, const float *target);

void mse_loss_backward(size_t n, const float *x, const float *target, float scale, float *dx);

#endif
