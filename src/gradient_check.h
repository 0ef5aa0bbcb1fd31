/* Is a derivative right? Compares it with differences of the function itself, which need no formula.
 *
 *     df/dx_i ~ (f(x + h e_i) - f(x - h e_i)) / 2h        central: the error shrinks as h^2, a one-sided one only as h
 *
 * A large h has the error of the neglected higher derivatives, a small h subtracts nearly equal numbers. In double the two
 * errors are equal near h = cbrt(2^-52) = 6e-6, where ten digits are right: this is a check, not a way to train (2n evaluations
 * for n numbers).
 * SPDX-License-Identifier: MIT */
#ifndef GRADIENT_CHECK_H
#define GRADIENT_CHECK_H

#include <stdbool.h>
#include <stddef.h>

typedef double RealFunction(const double *x, size_t n, void *context);

/* gradient[i] = df/dx_i at x by central differences, h = 6e-6 max(1, |x_i|). f must be defined that far around x. */
void gradient_numeric(RealFunction *f, void *context, const double *x, size_t n, double *gradient);

/* |got - want| relative to the larger of the two, and to at least 1e-3: near a gradient of 0 the differences have no
 * digits left to be relative to. NaN if either is NaN. */
double gradient_error(double got, double want);

typedef struct GradientCheck {
    size_t n;
    size_t worst;     /* where the error is largest */
    double got, want; /* the two values there */
    double error;     /* gradient_error of them; NaN counts as largest */
    bool all_zero;    /* every got and want is 0 (or n is 0): agreement proves nothing */
} GradientCheck;

GradientCheck gradient_compare(const double *got, const double *want, size_t n);

/* error <= tolerance, and not all zero. */
bool gradient_ok(const GradientCheck *check, double tolerance);

#endif
