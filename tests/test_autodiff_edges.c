/* Lecture 2: single operations of the tape, where their derivatives are known to the last digit, infinite, or not there.
 * SPDX-License-Identifier: MIT */
#include "autodiff.h"
#include "tests/testing.h"

#define TEST_ON_TAPE(name) TEST_WITH(name, tape, tape_create(), tape_free)

/* Value and derivative of one operation at x. */
typedef Scalar Unary(Tape *tape, Scalar x);

static void
check_unary(Unary *operation, double x, double value, double derivative)
{
    Tape *tape = tape_create();
    Scalar v = tape_variable(tape, x), f = operation(tape, v);
    double got[2] = {tape_value(tape, f), 0}, want[2] = {value, derivative};
    tape_backward(tape, f);
    got[1] = tape_gradient(tape, v);
    tape_free(tape);
    for (int i = 0; i < 2; i++)
        if (isnan(want[i]))
            ck_assert_double_nan(got[i]);
        else if (isinf(want[i]))
            ck_assert_double_eq(got[i], want[i]);
        else
            ck_assert_double_eq_tol(got[i], want[i], 1e-15 + 1e-14 * fabs(want[i]));
}

TEST(logistic_golden)
{
    check_unary(tape_logistic, 0, 0.5, 0.25);
    Tape *tape = tape_create();
    Scalar x = tape_variable(tape, 2), f = tape_logistic(tape, x);
    tape_backward(tape, f);
    ck_assert_double_eq_tol(tape_value(tape, f), 0.8807970780, 5e-11);
    ck_assert_double_eq_tol(tape_gradient(tape, x), 0.1049935854, 5e-11);
    tape_free(tape);
    check_unary(tape_logistic, 800, 1, 0);
    check_unary(tape_logistic, -800, 0, 0);
}

TEST(tanh_golden)
{
    check_unary(tape_tanh, 0, 0, 1);
    check_unary(tape_tanh, 1, 0.76159415595576489, 0.41997434161402607);
    check_unary(tape_tanh, 100, 1, 0);
}

TEST(abs_and_relu_at_zero)
{
    check_unary(tape_abs, 0, 0, 0);
    check_unary(tape_abs, -0.0, 0, 0);
    check_unary(tape_abs, -3, 3, -1);
    check_unary(tape_relu, 0, 0, 0);
    check_unary(tape_relu, -3, 0, 0);
    check_unary(tape_relu, 3, 3, 1);
    check_unary(tape_relu, (double)NAN, (double)NAN, (double)NAN);
}

TEST(sqrt_and_log_at_their_edge)
{
    check_unary(tape_sqrt, 0, 0, INFINITY);
    check_unary(tape_sqrt, -0.0, 0, INFINITY);
    check_unary(tape_sqrt, -1, (double)NAN, (double)NAN);
    check_unary(tape_sqrt, 4, 2, 0.25);
    check_unary(tape_log, 0, -INFINITY, INFINITY);
    check_unary(tape_log, -2, (double)NAN, (double)NAN);
    check_unary(tape_log, 0.5, -0.69314718055994531, 2);
}

static Scalar
power_0(Tape *tape, Scalar x)
{
    return tape_pow_constant(tape, x, 0);
}

static Scalar
power_1(Tape *tape, Scalar x)
{
    return tape_pow_constant(tape, x, 1);
}

static Scalar
power_half(Tape *tape, Scalar x)
{
    return tape_pow_constant(tape, x, 0.5);
}

static Scalar
power_3(Tape *tape, Scalar x)
{
    return tape_pow_constant(tape, x, 3);
}

TEST(powers_at_zero_and_below)
{
    check_unary(power_0, 0, 1, 0);
    check_unary(power_0, -2, 1, 0);
    check_unary(power_1, 0, 0, 1);
    check_unary(power_half, 0, 0, INFINITY);
    check_unary(power_half, -1, (double)NAN, (double)NAN);
    check_unary(power_3, -2, -8, 12);
    check_unary(power_3, 0, 0, 0);
}

static void
check_pow(double x, double y, double value, double by_x, double by_y)
{
    Tape *tape = tape_create();
    Scalar a = tape_variable(tape, x), b = tape_variable(tape, y), f = tape_pow(tape, a, b);
    tape_backward(tape, f);
    ck_assert_double_eq(tape_value(tape, f), value);
    ck_assert_double_eq(tape_gradient(tape, a), by_x);
    if (isnan(by_y))
        ck_assert_double_nan(tape_gradient(tape, b));
    else
        ck_assert_double_eq_tol(tape_gradient(tape, b), by_y, 1e-14);
    tape_free(tape);
}

TEST(general_power_at_zero_and_below)
{
    check_pow(2, 3, 8, 12, 8 * 0.69314718055994531);
    check_pow(0, 2, 0, 0, 0);
    check_pow(0, 1, 0, 1, 0);
    check_pow(0, 0, 1, 0, 0);
    check_pow(-2, 2, 4, -4, (double)NAN);
}

TEST_ON_TAPE(division_by_zero_stays_ieee)
{
    Scalar x = tape_variable(tape, 1), y = tape_variable(tape, 0), f = tape_div(tape, x, y);
    tape_backward(tape, f);
    ck_assert_double_eq(tape_value(tape, f), INFINITY);
    ck_assert_double_eq(tape_gradient(tape, x), INFINITY);
    ck_assert_double_eq(tape_gradient(tape, y), -INFINITY);
}

TEST_ON_TAPE(division_by_a_tiny_number_does_not_square_it)
{
    Scalar x = tape_variable(tape, 1e-200), y = tape_variable(tape, 1e-200), f = tape_div(tape, x, y);
    tape_backward(tape, f);
    ck_assert_double_eq_tol(tape_gradient(tape, y) * 1e-200, -1, 1e-14);
}

TEST_MAIN("autodiff edges")
