/* The checker of gradients against itself: it must find what is wrong, and must not take nothing for right.
 * SPDX-License-Identifier: MIT */
#include "autodiff.h"
#include "gradient_check.h"
#include "tests/testing.h"

/* 1/2 (y - sigma(w2 sigma(w1 x + b1) + b2))^2: a network of two neurons, by five variables. */
static Scalar
two_neurons(Tape *t, const Scalar *v, size_t n, const void *context)
{
    ck_assert_uint_eq(n, 5);
    Scalar y = tape_constant(t, *(const double *)context);
    Scalar hidden = tape_logistic(t, tape_add(t, tape_mul(t, v[0], v[4]), v[1]));
    Scalar output = tape_logistic(t, tape_add(t, tape_mul(t, v[2], hidden), v[3]));
    Scalar difference = tape_sub(t, y, output);
    return tape_mul(t, tape_constant(t, 0.5), tape_mul(t, difference, difference));
}

static double
two_neurons_value(const double *x, size_t n, void *context)
{
    return tape_evaluate(two_neurons, context, x, n, NULL);
}

TEST(tape_agrees_with_differences_on_a_small_network)
{
    double y = 0.9, tape[5], numeric[5];
    const double v[5] = {0.3, -0.2, 0.7, 0.1, 1.5};
    tape_evaluate(two_neurons, &y, v, 5, tape);
    gradient_numeric(two_neurons_value, &y, v, 5, numeric);
    GradientCheck check = gradient_compare(tape, numeric, 5);
    ck_assert(gradient_ok(&check, 1e-7));
    tape[3] *= 1.001;
    check = gradient_compare(tape, numeric, 5);
    ck_assert(!gradient_ok(&check, 1e-7));
    ck_assert_uint_eq(check.worst, 3);
    ck_assert_double_eq_tol(check.error, 1e-3, 1e-5);
}

static double
cube(const double *x, size_t n, void *context)
{
    (void)context;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i] * x[i];
    return sum;
}

TEST(differences_are_right_to_ten_digits)
{
    const double x[] = {0, 1, -2}, want[] = {0, 3, 12};
    double got[3];
    gradient_numeric(cube, NULL, x, 3, got);
    ck_assert_doubles(got, want, 3, 2e-10, 2e-10);
    const double large = 1000, want_large = 3e6; /* h grows with x, so the digits stay */
    gradient_numeric(cube, NULL, &large, 1, got);
    ck_assert_doubles(got, &want_large, 1, 0, 2e-10);
    gradient_numeric(cube, NULL, x, 0, got);
}

TEST(error_is_relative_with_a_floor)
{
    ck_assert_double_eq_tol(gradient_error(1.01, 1), 0.01 / 1.01, 1e-12);
    ck_assert_double_eq_tol(gradient_error(-1, 1), 2, 1e-15);
    ck_assert_double_eq(gradient_error(0, 0), 0);
    ck_assert_double_eq_tol(gradient_error(1e-9, 0), 1e-6, 1e-20);
    ck_assert_double_eq(gradient_error(INFINITY, INFINITY), 0);
    ck_assert_double_nan(gradient_error(NAN, 1));
    ck_assert_double_nan(gradient_error(1, NAN));
}

TEST(all_zero_gradients_prove_nothing)
{
    const double zero[3] = {0}, some[3] = {0, 0, 1};
    GradientCheck check = gradient_compare(zero, zero, 3);
    ck_assert(check.all_zero);
    ck_assert_double_eq(check.error, 0);
    ck_assert(!gradient_ok(&check, 1));
    check = gradient_compare(some, some, 3);
    ck_assert(gradient_ok(&check, 0));
    check = gradient_compare(some, some, 0);
    ck_assert(!gradient_ok(&check, 1));
}

TEST(nan_gradients_are_wrong)
{
    const double want[3] = {1, 2, 3}, first[3] = {NAN, 2, 3}, middle[3] = {9, NAN, 3};
    GradientCheck check = gradient_compare(first, want, 3);
    ck_assert(!gradient_ok(&check, 1e300));
    ck_assert_uint_eq(check.worst, 0);
    check = gradient_compare(middle, want, 3);
    ck_assert(!gradient_ok(&check, 1e300));
    ck_assert_uint_eq(check.worst, 1);
}

TEST_MAIN("gradient check")
