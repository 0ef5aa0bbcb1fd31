/* Lecture 2: the gradients of backpropagation against differences of the cost, over many shapes of network.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "gradient_check.h"
#include "mlp.h"
#include "tests/mlp_parameters.h"
#include "tests/testing.h"

typedef struct Sample {
    Mlp *mlp;
    const double *x, *y;
} Sample;

static double
cost_at(const double *parameters, size_t n, void *context)
{
    const Sample *sample = context;
    Mlp *mlp = sample->mlp;
    const double *from = parameters;
    for (int l = 2; l <= mlp->L; l++) {
        memcpy(mlp->w[l], from, mlp_weights_into(mlp, l) * sizeof(double));
        from += mlp_weights_into(mlp, l);
        memcpy(mlp->b[l], from, (size_t)mlp->size[l] * sizeof(double));
        from += mlp->size[l];
    }
    ck_assert_uint_eq((size_t)(from - parameters), n);
    mlp_forward(mlp, sample->x);
    return mlp_cost(mlp, sample->y);
}

static void
check_gradients(int L, const int *sizes, uint64_t seed)
{
    double x[16], y[16];
    Mlp *mlp = mlp_create(L, sizes, seed);
    for (int i = 0; i < 16; i++) {
        x[i] = rng_normal_at(seed, 100, (uint64_t)i);
        y[i] = rng_uniform_at(seed, 101, (uint64_t)i);
    }
    for (int l = 2; l <= L; l++)
        for (int j = 0; j < mlp->size[l]; j++)
            mlp->b[l][j] = rng_normal_at(seed, 102 + (uint64_t)l, (uint64_t)j);
    mlp_forward(mlp, x);
    mlp_output_error(mlp, y);
    mlp_backpropagate(mlp);
    mlp_add_gradients(mlp);

    size_t n = mlp_parameter_count(mlp);
    double *got = ARRAY(double, n), *want = ARRAY(double, n), *at = ARRAY(double, n);
    mlp_gather(mlp, mlp->dw, mlp->db, got);
    mlp_gather(mlp, mlp->w, mlp->b, at);
    Sample sample = {mlp, x, y};
    gradient_numeric(cost_at, &sample, at, n, want);
    GradientCheck check = gradient_compare(got, want, n);
    ck_assert_msg(gradient_ok(&check, 1e-7), "L %d seed %lu: parameter %zu of %zu: got %.12g, differences %.12g%s", L,
                  (unsigned long)seed, check.worst, n, check.got, check.want, check.all_zero ? ", all are 0" : "");
    for (int l = 2; l <= L; l++) { /* a layer of zeros would hide behind the others */
        double sum = 0;
        for (size_t i = 0; i < mlp_weights_into(mlp, l); i++)
            sum += fabs(mlp->dw[l][i]);
        ck_assert_double_gt(sum, 0);
    }
    array_free(got);
    array_free(want);
    array_free(at);
    mlp_free(mlp);
}

TEST(gradients_of_many_shapes)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        check_gradients(2, (int[]){1, 1}, seed);
        check_gradients(2, (int[]){5, 3}, seed);
        check_gradients(3, (int[]){2, 2, 1}, seed);
        check_gradients(3, (int[]){7, 11, 13}, seed);
        check_gradients(3, (int[]){3, 1, 4}, seed);
        check_gradients(4, (int[]){1, 1, 1, 1}, seed);
        check_gradients(5, (int[]){4, 3, 5, 2, 3}, seed);
        check_gradients(8, (int[]){2, 3, 3, 3, 3, 3, 3, 2}, seed);
    }
}

/* delta^l_j = dC/dz^l_j: a bias shifts z by the same amount, so dC/db = delta. */
TEST(bias_gradient_is_the_error)
{
    Mlp *mlp = mlp_create(4, (int[]){3, 4, 2, 3}, 9);
    const double x[] = {0.1, -0.7, 2}, y[] = {1, 0, 0.5};
    mlp_forward(mlp, x);
    mlp_output_error(mlp, y);
    mlp_backpropagate(mlp);
    mlp_add_gradients(mlp);
    for (int l = 2; l <= 4; l++)
        ck_assert_doubles(mlp->db[l], mlp->delta[l], (size_t)mlp->size[l], 0, 0);
    mlp_free(mlp);
}

TEST(right_output_has_no_error)
{
    Mlp *mlp = mlp_create(3, (int[]){2, 3, 2}, 4);
    const double *a = mlp_forward(mlp, XOR_X[3]);
    const double y[] = {a[0], a[1]};
    ck_assert_double_eq(mlp_cost(mlp, y), 0);
    mlp_output_error(mlp, y);
    mlp_backpropagate(mlp);
    for (int j = 0; j < 2; j++)
        ck_assert_double_eq(mlp->delta[3][j], 0);
    for (int j = 0; j < 3; j++)
        ck_assert_double_eq(mlp->delta[2][j], 0);
    mlp_free(mlp);
}

static void
add_sample(Mlp *mlp, int i)
{
    mlp_forward(mlp, XOR_X[i]);
    mlp_output_error(mlp, &XOR_Y[i]);
    mlp_backpropagate(mlp);
    mlp_add_gradients(mlp);
}

TEST(gradients_are_summed_over_samples)
{
    Mlp *mlp = mlp_create(3, (int[]){2, 3, 1}, 8);
    double sum[13] = {0}, one[13], all[13];
    ck_assert_uint_eq(mlp_parameter_count(mlp), 13);
    for (int i = 0; i < 4; i++) {
        mlp_clear_gradients(mlp);
        add_sample(mlp, i);
        mlp_gather(mlp, mlp->dw, mlp->db, one);
        for (int p = 0; p < 13; p++)
            sum[p] += one[p];
    }
    mlp_clear_gradients(mlp);
    for (int i = 0; i < 4; i++)
        add_sample(mlp, i);
    mlp_gather(mlp, mlp->dw, mlp->db, all);
    ck_assert_doubles(all, sum, 13, 1e-16, 1e-13);
    mlp_free(mlp);
}

TEST(clear_leaves_nothing)
{
    Mlp *mlp = mlp_create(3, (int[]){2, 3, 1}, 8);
    double all[13];
    const double zero[13] = {0};
    add_sample(mlp, 1);
    mlp_clear_gradients(mlp);
    mlp_gather(mlp, mlp->dw, mlp->db, all);
    ck_assert_doubles(all, zero, 13, 0, 0);
    mlp_free(mlp);
}

/* Delta C ~ -r ||grad C||^2: the ratio goes to 1 as r goes to 0. */
TEST(cost_falls_by_r_times_the_squared_gradient)
{
    double before = 1;
    for (double r = 1; r > 1e-3; r /= 4) {
        Mlp *mlp = mlp_create(3, (int[]){2, 3, 1}, 8);
        double gradient[13], square = 0;
        add_sample(mlp, 1);
        double cost = mlp_cost(mlp, &XOR_Y[1]);
        mlp_gather(mlp, mlp->dw, mlp->db, gradient);
        for (int p = 0; p < 13; p++)
            square += gradient[p] * gradient[p];
        mlp_step(mlp, r, 1);
        mlp_forward(mlp, XOR_X[1]);
        double ratio = (mlp_cost(mlp, &XOR_Y[1]) - cost) / (-r * square);
        ck_assert_double_gt(ratio, 0);
        ck_assert_double_lt(fabs(ratio - 1), before);
        before = fabs(ratio - 1);
        mlp_free(mlp);
    }
    ck_assert_double_lt(before, 1e-3);
}

TEST_MAIN("mlp gradient")
