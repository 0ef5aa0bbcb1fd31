/* Activation functions, element by element: y = sigma(x), and dx = dy sigma'(x) computed from y = sigma(x).
 *
 *     sigmoid  1 / (1 + e^-x)    y (1 - y)
 *     tanh                       1 - y^2
 *     relu     max(x, 0)         1 if y > 0, else 0       (0 at x = 0)
 *
 * n elements; y may be x, dx may be dy. NaN gives NaN. Large |x| gives the limits 0, 1, -1 and no overflow on the way.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_ACTIVATION_H
#define CPU_ACTIVATION_H

#include <stddef.h>

/* Rung 1: the C library's expf and tanhf, one element at a time. */
void sigmoid_libm(size_t n, const float *x, float *y);
void tanh_libm(size_t n, const float *x, float *y);

/* Rung 2: polynomials (cpu/exp.h) that the compiler makes vector code of. Within 4e-7 of the exact value, relatively. */
void sigmoid_polynomial(size_t n, const float *x, float *y);
void tanh_polynomial(size_t n, const float *x, float *y);

void relu_forward(size_t n, const float *x, float *y);

void sigmoid_gradient(size_t n, const float *y, const float *dy, float *dx);
void tanh_gradient(size_t n, const float *y, const float *dy, float *dx);
void relu_gradient(size_t n, const float *y, const float *dy, float *dx);

#endif
