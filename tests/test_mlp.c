/* Lecture 2: the multi-layer perceptron against a golden network; how it is made and called. test_mlp_gradient.c and
 * test_mlp_train.c have the rest.
 * SPDX-License-Identifier: MIT */
#include "mlp.h"
#include "tests/capture.h"
#include "tests/testing.h"

/* ---- the golden network -----------------------------------------------------------------------------------
 * 2-2-2, the worked example that many texts use; digits recomputed with 40 decimals. In that example each layer has one bias for
 * its two neurons, and the step does not change it. Here every neuron has a bias and the step moves it; all numbers up to and
 * including the weights after the step are the same, the cost after it is not (0.2910277737 there). */
static const double GOLDEN_X[2] = {0.05, 0.10}, GOLDEN_Y[2] = {0.01, 0.99};

static Mlp *
golden_create(void)
{
    const double w2[] = {0.15, 0.20, 0.25, 0.30}, w3[] = {0.40, 0.45, 0.50, 0.55};
    Mlp *mlp = mlp_create(3, (int[]){2, 2, 2}, 1);
    memcpy(mlp->w[2], w2, sizeof(w2));
    memcpy(mlp->w[3], w3, sizeof(w3));
    mlp->b[2][0] = mlp->b[2][1] = 0.35;
    mlp->b[3][0] = mlp->b[3][1] = 0.60;
    return mlp;
}

TEST(golden_forward)
{
    Mlp *mlp = golden_create();
    const double *a = mlp_forward(mlp, GOLDEN_X);
    const double hidden[] = {0.593269992107187, 0.596884378259767}, want[] = {0.751365069552316, 0.772928465321463};
    ck_assert_ptr_eq(a, mlp->a[3]);
    ck_assert_doubles(mlp->a[1], GOLDEN_X, 2, 0, 0);
    ck_assert_doubles(mlp->a[2], hidden, 2, 1e-14, 0);
    ck_assert_doubles(a, want, 2, 1e-14, 0);
    ck_assert_double_eq_tol(mlp_cost(mlp, GOLDEN_Y), 0.298371108760003, 1e-14);
    mlp_free(mlp);
}

TEST(golden_errors)
{
    Mlp *mlp = golden_create();
    mlp_forward(mlp, GOLDEN_X);
    mlp_output_error(mlp, GOLDEN_Y);
    mlp_backpropagate(mlp);
    const double delta3[] = {0.138498561628557, -0.038098236516556}, delta2[] = {0.008771354689487, 0.009954254705217};
    ck_assert_doubles(mlp->delta[3], delta3, 2, 1e-14, 0);
    ck_assert_doubles(mlp->delta[2], delta2, 2, 1e-14, 0);
    mlp_free(mlp);
}

TEST(golden_step)
{
    Mlp *mlp = golden_create();
    double cost = mlp_train_epoch(mlp, GOLDEN_X, GOLDEN_Y, 1, 1, 0.5, 1, 0);
    const double w2[] = {0.149780716132763, 0.199561432265526, 0.249751143632370, 0.299502287264739};
    const double w3[] = {0.358916479717885, 0.408666186076233, 0.511301270238738, 0.561370121107989};
    const double b2[] = {0.345614322655257, 0.345022872647391}, b3[] = {0.530750719185721, 0.619049118258278};
    ck_assert_double_eq_tol(cost, 0.298371108760003, 1e-14);
    ck_assert_doubles(mlp->w[2], w2, 4, 1e-14, 0);
    ck_assert_doubles(mlp->w[3], w3, 4, 1e-14, 0);
    ck_assert_doubles(mlp->b[2], b2, 2, 1e-14, 0);
    ck_assert_doubles(mlp->b[3], b3, 2, 1e-14, 0);
    const double after[] = {0.728441762233766, 0.778376920300970};
    ck_assert_doubles(mlp_forward(mlp, GOLDEN_X), after, 2, 1e-14, 0);
    ck_assert_double_eq_tol(mlp_cost(mlp, GOLDEN_Y), 0.280471446791430, 1e-14);
    mlp_free(mlp);
}

TEST(golden_step_with_the_examples_fixed_biases)
{
    Mlp *mlp = golden_create();
    mlp_train_epoch(mlp, GOLDEN_X, GOLDEN_Y, 1, 1, 0.5, 1, 0);
    mlp->b[2][0] = mlp->b[2][1] = 0.35;
    mlp->b[3][0] = mlp->b[3][1] = 0.60;
    mlp_forward(mlp, GOLDEN_X);
    ck_assert_double_eq_tol(mlp_cost(mlp, GOLDEN_Y), 0.291027773693599, 1e-14);
    mlp_free(mlp);
}

TEST(sigma_golden)
{
    ck_assert_double_eq(mlp_sigma(0), 0.5);
    ck_assert_double_eq(mlp_sigma_prime(0), 0.25);
    ck_assert_double_eq_tol(mlp_sigma(2), 0.8807970780, 5e-11);
    ck_assert_double_eq_tol(mlp_sigma_prime(2), 0.1049935854, 5e-11);
    ck_assert_double_eq(mlp_sigma(-1000), 0);
    ck_assert_double_eq(mlp_sigma(1000), 1);
    ck_assert_double_eq(mlp_sigma_prime(-1000), 0);
    ck_assert_double_nan(mlp_sigma(NAN));
}

/* ---- what mlp_create makes ------------------------------------------------------------------------------- */

TEST(create_indexes_like_the_slides)
{
    Mlp *mlp = mlp_create(3, (int[]){4, 3, 2}, 5);
    ck_assert_int_eq(mlp->L, 3);
    ck_assert_int_eq(mlp->size[1], 4);
    ck_assert_int_eq(mlp->size[3], 2);
    ck_assert_ptr_null(mlp->w[1]);
    ck_assert_ptr_null(mlp->b[1]);
    ck_assert_ptr_null(mlp->z[1]);
    ck_assert_ptr_null(mlp->delta[1]);
    ck_assert_ptr_nonnull(mlp->a[1]);
    mlp_free(mlp);
    mlp_free(NULL);
}

/* The slides' layer 3 is 2 x 4. w_jk leads from k to j, so row j = 1, column k = 2 is w[1 * 4 + 2]. */
TEST(weight_jk_leads_from_k_to_j)
{
    Mlp *mlp = mlp_create(2, (int[]){4, 2}, 5);
    memset(mlp->w[2], 0, 8 * sizeof(double));
    mlp->w[2][1 * 4 + 2] = 3;
    mlp_forward(mlp, (double[]){0, 0, 7, 0});
    ck_assert_double_eq(mlp->z[2][0], 0);
    ck_assert_double_eq(mlp->z[2][1], 21);
    mlp_free(mlp);
}

TEST(first_weights_are_xavier_uniform)
{
    enum { IN = 90, OUT = 110 };
    Mlp *mlp = mlp_create(2, (int[]){IN, OUT}, 3);
    double limit = sqrt(6.0 / (IN + OUT)), sum = 0, squares = 0;
    for (int i = 0; i < IN * OUT; i++) {
        ck_assert_double_le(fabs(mlp->w[2][i]), limit);
        sum += mlp->w[2][i];
        squares += mlp->w[2][i] * mlp->w[2][i];
    }
    ck_assert_double_eq_tol(sum / (IN * OUT), 0, 4 * limit / sqrt(3.0 * IN * OUT));
    ck_assert_double_eq_tol(squares / (IN * OUT), limit * limit / 3, 0.03 * limit * limit / 3);
    for (int j = 0; j < OUT; j++)
        ck_assert_double_eq(mlp->b[2][j], 0);
    mlp_free(mlp);
}

TEST(seeds_and_layers_differ)
{
    Mlp *a = mlp_create(3, (int[]){3, 3, 3}, 1), *b = mlp_create(3, (int[]){3, 3, 3}, 2),
        *c = mlp_create(3, (int[]){3, 3, 3}, 1);
    ck_assert_mem_ne(a->w[2], b->w[2], 9 * sizeof(double));
    ck_assert_mem_ne(a->w[2], a->w[3], 9 * sizeof(double));
    ck_assert_mem_eq(a->w[2], c->w[2], 9 * sizeof(double));
    ck_assert_mem_eq(a->w[3], c->w[3], 9 * sizeof(double));
    mlp_free(a);
    mlp_free(b);
    mlp_free(c);
}

TEST(step_divides_by_m)
{
    Mlp *mlp = mlp_create(2, (int[]){2, 1}, 8);
    const double w[] = {1, 2}, dw[] = {8, -4}, want[] = {0, 2.5};
    memcpy(mlp->w[2], w, sizeof(w));
    memcpy(mlp->dw[2], dw, sizeof(dw));
    mlp->b[2][0] = 3;
    mlp->db[2][0] = 2;
    mlp_step(mlp, 0.5, 4);
    ck_assert_doubles(mlp->w[2], want, 2, 0, 0);
    ck_assert_double_eq(mlp->b[2][0], 2.75);
    ck_assert_doubles(mlp->dw[2], dw, 2, 0, 0); /* left as it was */
    mlp_free(mlp);
}

/* ---- wrong calls ----------------------------------------------------------------------------------------- */

TEST_ENDS_CALL(one_layer, "got 1 layers", mlp_create(1, (int[]){3}, 1);)
TEST_ENDS_CALL(empty_layer, "layer 2 has 0 neurons", mlp_create(3, (int[]){2, 0, 1}, 1);)
TEST_ENDS_CALL(empty_batch, "a mini-batch holds at least one sample",
               mlp_train_epoch(mlp_create(2, (int[]){2, 2}, 1), GOLDEN_X, GOLDEN_Y, 1, 0, 1, 1, 0);)

TEST_MAIN("mlp")
