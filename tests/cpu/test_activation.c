/* Activations: both rungs against formulas in double, at their limits, with NaN, at every length.
 * SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "cpu/activation/activation.h"
#include "cpu/exp.h"
#include "tests/testing.h"

typedef void Elementwise(size_t n, const float *x, float *y);

/* The largest relative error of f on -limit .. limit against want, in many steps. Values near the smallest floats are left out:
 * they have fewer digits. */
static double
worst_error(Elementwise *f, double (*want)(double), double limit)
{
    enum { BATCH = 1000, BATCHES = 500 };
    static float x[BATCH], y[BATCH];
    double worst = 0;
    for (int b = 0; b < BATCHES; b++) {
        for (int i = 0; i < BATCH; i++)
            x[i] = (float)(limit * (2.0 * (b * BATCH + i + 0.5) / (BATCH * BATCHES) - 1));
        f(BATCH, x, y);
        for (int i = 0; i < BATCH; i++) {
            const double exact = want(x[i]);
            if (fabs(exact) > 4 * FLT_MIN && !(fabs(y[i] - exact) <= worst * fabs(exact)))
                worst = fabs(y[i] - exact) / fabs(exact);
        }
    }
    return worst;
}

static void
exp_all(size_t n, const float *x, float *y)
{
    for (size_t i = 0; i < n; i += VECTOR_LANES) {
        const int lanes = n - i < VECTOR_LANES ? (int)(n - i) : VECTOR_LANES;
        vector_store_first(y + i, exp_vector(vector_load_first(x + i, lanes)), lanes);
    }
}

static double
exact_sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

TEST(exp_is_within_its_bound)
{
    ck_assert_double_lt(worst_error(exp_all, exp, 88.7), 2e-7);
    ck_assert_double_lt(worst_error(exp_all, exp, 1), 2e-7);
}

TEST(exp_has_its_limits)
{
    const float x[8] = {0, -0.0F, -1e4F, -INFINITY, 88.8F, INFINITY, 88.7F, NAN};
    float y[8];
    exp_all(8, x, y);
    ck_assert(y[0] == 1);
    ck_assert(y[1] == 1);
    ck_assert(y[2] == 0);
    ck_assert(y[3] == 0);
    ck_assert(isinf(y[4]));
    ck_assert(isinf(y[5]));
    ck_assert(isfinite(y[6]));
    ck_assert(isnan(y[7]));
}

TEST(sigmoid_is_within_its_bound)
{
    ck_assert_double_lt(worst_error(sigmoid_libm, exact_sigmoid, 80), 4e-7);
    ck_assert_double_lt(worst_error(sigmoid_polynomial, exact_sigmoid, 80), 4e-7);
}

TEST(tanh_is_within_its_bound)
{
    ck_assert_double_lt(worst_error(tanh_libm, tanh, 12), 4e-7);
    ck_assert_double_lt(worst_error(tanh_polynomial, tanh, 12), 4e-7);
    ck_assert_double_lt(worst_error(tanh_polynomial, tanh, 0.7), 4e-7);
    ck_assert_double_lt(worst_error(tanh_polynomial, tanh, 1e-6), 4e-7);
}

TEST(activations_have_their_limits)
{
    const float x[6] = {-1e30F, -100, 0, 100, 1e30F, NAN};
    const float sigmoid[5] = {0, 0, 0.5F, 1, 1}, hyperbolic[5] = {-1, -1, 0, 1, 1},
                rectified[5] = {0, 0, 0, 100, 1e30F};
    const struct {
        Elementwise *f;
        const float *want;
    } rows[] = {{sigmoid_libm, sigmoid},
                {sigmoid_polynomial, sigmoid},
                {tanh_libm, hyperbolic},
                {tanh_polynomial, hyperbolic},
                {relu_forward, rectified}};
    for (int r = 0; r < 5; r++) {
        float y[6];
        rows[r].f(6, x, y);
        ck_assert_floats(y, rows[r].want, 5, 1e-30, 0);
        ck_assert(isnan(y[5]));
    }
}

TEST(activations_take_any_length)
{
    Elementwise *const functions[] = {sigmoid_libm, sigmoid_polynomial, tanh_libm, tanh_polynomial, relu_forward};
    for (int f = 0; f < 5; f++) {
        for (size_t n = 0; n <= 70; n++) {
            float x[70], one;
            Guarded y = guarded_create(n);
            rng_fill_normal(1, 1, 0, x, n, 0, 3);
            guarded_poison(&y);
            functions[f](n, x, y.x);
            for (size_t i = 0; i < n; i++) {
                functions[f](1, &x[i],
                             &one); /* the vector body of the loop and its scalar end agree, but for rounding */
                ck_assert_floats(&y.x[i], &one, 1, 0, 2e-7);
            }
            ck_assert(guarded_intact(&y));
            guarded_free(&y);
        }
    }
}

/* sigma'(x) from y against the slope of the exact function. */
static void
check_slope(Elementwise *f, void (*gradient)(size_t, const float *, const float *, float *), double (*exact)(double))
{
    for (float x = -3.05F; x < 3; x += 0.1F) {
        const double h = 1e-5;
        float y, dx, dy = 2;
        f(1, &x, &y);
        gradient(1, &y, &dy, &dx);
        const double want = 2 * (exact(x + h) - exact(x - h)) / (2 * h), got = dx;
        ck_assert_doubles(&got, &want, 1, 2e-6, 0);
    }
}

static double
exact_relu(double x)
{
    return x > 0 ? x : 0;
}

TEST(gradients_are_slopes)
{
    check_slope(sigmoid_libm, sigmoid_gradient, exact_sigmoid);
    check_slope(tanh_libm, tanh_gradient, tanh);
    check_slope(relu_forward, relu_gradient, exact_relu);
}

TEST(gradients_may_be_in_place_and_pass_nan)
{
    float y[3] = {0.5F, 0, NAN}, d[3] = {3, 4, 5};
    relu_gradient(3, y, d, d);
    ck_assert(d[0] == 3 && d[1] == 0 && isnan(d[2]));
    float e[2] = {8, NAN};
    sigmoid_gradient(2, (float[]){0.5F, 0.5F}, e, e);
    ck_assert(e[0] == 2 && isnan(e[1]));
    float t[2] = {4, NAN};
    tanh_gradient(2, (float[]){0.5F, 0}, t, t);
    ck_assert(t[0] == 3 && isnan(t[1]));
}

TEST_MAIN("activation")
