/* Lecture 2: epochs of mini-batch SGD, and the network that learns XOR.
 * SPDX-License-Identifier: MIT */
#include "mlp.h"
#include "tests/mlp_parameters.h"
#include "tests/testing.h"

static void
add_sample(Mlp *mlp, int i)
{
    mlp_forward(mlp, XOR_X[i]);
    mlp_output_error(mlp, &XOR_Y[i]);
    mlp_backpropagate(mlp);
    mlp_add_gradients(mlp);
}

static void
train_parameters(uint64_t seed, size_t B, int epochs, double *parameters)
{
    Mlp *mlp = mlp_create(3, (int[]){2, 3, 1}, 8);
    for (int epoch = 0; epoch < epochs; epoch++)
        mlp_train_epoch(mlp, &XOR_X[0][0], XOR_Y, 4, B, 0.7, seed, (uint64_t)epoch);
    mlp_gather(mlp, mlp->w, mlp->b, parameters);
    mlp_free(mlp);
}

TEST(same_seed_same_bits)
{
    double a[13], b[13], other[13];
    train_parameters(1, 1, 50, a);
    train_parameters(1, 1, 50, b);
    train_parameters(2, 1, 50, other);
    ck_assert_mem_eq(a, b, sizeof(a));
    ck_assert_mem_ne(a, other, sizeof(a)); /* another order of the samples */
}

TEST(batch_larger_than_the_data_is_the_whole_data)
{
    double four[13], hundred[13], largest[13];
    train_parameters(1, 4, 20, four);
    train_parameters(1, 100, 20, hundred);
    train_parameters(1, SIZE_MAX, 20, largest);
    ck_assert_mem_eq(four, hundred, sizeof(four));
    ck_assert_mem_eq(four, largest, sizeof(four));
}

TEST(whole_batch_is_one_step_of_the_mean_gradient)
{
    double got[13], want[13];
    train_parameters(1, 4, 1, got);
    Mlp *mlp = mlp_create(3, (int[]){2, 3, 1}, 8);
    for (int i = 0; i < 4; i++)
        add_sample(mlp, i);
    mlp_step(mlp, 0.7, 4);
    mlp_gather(mlp, mlp->w, mlp->b, want);
    ck_assert_doubles(got, want, 13, 1e-15, 1e-14);
    mlp_free(mlp);
}

/* B = 3 of 4: a batch of three, then a batch of one, divided by 3 and by 1; the order is that of the generator. */
TEST(last_batch_is_smaller_and_divided_by_its_own_size)
{
    double got[13], want[13];
    train_parameters(6, 3, 1, got);
    bool found = false;
    for (int last = 0; last < 4; last++) { /* which sample came alone is the seed's choice: one of four must fit */
        Mlp *mlp = mlp_create(3, (int[]){2, 3, 1}, 8);
        for (int i = 0; i < 4; i++)
            if (i != last)
                add_sample(mlp, i);
        mlp_step(mlp, 0.7, 3);
        mlp_clear_gradients(mlp);
        add_sample(mlp, last);
        mlp_step(mlp, 0.7, 1);
        mlp_gather(mlp, mlp->w, mlp->b, want);
        double largest = 0;
        for (int p = 0; p < 13; p++)
            largest = fmax(largest, fabs(got[p] - want[p]));
        found = found || largest < 1e-14;
        mlp_free(mlp);
    }
    ck_assert(found);
}

TEST(every_epoch_has_another_order)
{
    Mlp *mlp = mlp_create(2, (int[]){1, 1}, 1);
    double X[100], Y[100] = {0};
    int differ = 0;
    for (int i = 0; i < 100; i++)
        X[i] = i;
    double before = NAN;
    for (uint64_t epoch = 0; epoch < 10; epoch++) {
        mlp_train_epoch(mlp, X, Y, 100, 1, 0, 3, epoch); /* eta 0: a[1] is the last sample visited */
        differ += mlp->a[1][0] != before;
        before = mlp->a[1][0];
    }
    ck_assert_int_ge(differ, 8);
    mlp_free(mlp);
}

TEST(epoch_returns_the_mean_cost)
{
    Mlp *mlp = mlp_create(3, (int[]){2, 3, 1}, 8);
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        mlp_forward(mlp, XOR_X[i]);
        sum += mlp_cost(mlp, &XOR_Y[i]);
    }
    ck_assert_double_eq_tol(mlp_train_epoch(mlp, &XOR_X[0][0], XOR_Y, 4, 3, 0, 1, 0), sum / 4, 1e-15);
    mlp_free(mlp);
}

TEST(epoch_without_samples_changes_nothing)
{
    Mlp *mlp = mlp_create(3, (int[]){2, 3, 1}, 8);
    double before[13], after[13];
    mlp_gather(mlp, mlp->w, mlp->b, before);
    ck_assert_double_nan(mlp_train_epoch(mlp, &XOR_X[0][0], XOR_Y, 0, 3, 1, 1, 0));
    mlp_gather(mlp, mlp->w, mlp->b, after);
    ck_assert_mem_eq(before, after, sizeof(before));
    mlp_free(mlp);
}

/* Trains until every output is within 0.1 of its target, or the epochs are over. */
static bool
solves_xor(int hidden, uint64_t seed, size_t B, double eta, int epochs)
{
    Mlp *mlp = mlp_create(3, (int[]){2, hidden, 1}, seed);
    bool solved = false;
    for (int epoch = 0; epoch < epochs && !solved; epoch++) {
        mlp_train_epoch(mlp, &XOR_X[0][0], XOR_Y, 4, B, eta, seed, (uint64_t)epoch);
        solved = true;
        for (int i = 0; i < 4; i++)
            solved = solved && fabs(mlp_forward(mlp, XOR_X[i])[0] - XOR_Y[i]) < 0.1;
    }
    mlp_free(mlp);
    return solved;
}

static int
seeds_that_solve(int hidden, size_t B)
{
    int solved = 0;
    for (uint64_t seed = 1; seed <= 20; seed++)
        solved += solves_xor(hidden, seed, B, 2, 10000);
    return solved;
}

TEST(xor_is_solved_by_three_hidden_neurons)
{
    int whole = seeds_that_solve(3, 4), single = seeds_that_solve(3, 1);
    ck_assert_int_ge(whole, 15);
    ck_assert_int_ge(single, 15);
}

TEST(xor_is_solved_by_two_hidden_neurons_mostly)
{
    int whole = seeds_that_solve(2, 4), single = seeds_that_solve(2, 1);
    ck_assert_int_ge(whole, 10);
    ck_assert_int_ge(single, 10);
}

/* Without a hidden layer, or with one neuron in it, only lines and bands of one direction can be drawn. */
TEST(xor_is_not_solved_without_a_hidden_layer)
{
    Mlp *mlp = mlp_create(2, (int[]){2, 1}, 1);
    double cost = 0;
    for (uint64_t epoch = 0; epoch < 5000; epoch++)
        cost = mlp_train_epoch(mlp, &XOR_X[0][0], XOR_Y, 4, 4, 1, 1, epoch);
    ck_assert_double_eq_tol(cost, 0.125, 1e-3); /* 1/2 of 1/4: every output is 1/2 */
    mlp_free(mlp);
}

TEST_MAIN("mlp train")
