/* A batch through nn/ is the average of its samples through mlp.c: the same mathematics twice, written by the sample in double,
 * and by the batch in float. SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "cpu/backend.h"
#include "mlp.h"
#include "nn/optimizer.h"
#include "tests/nets.h"
#include "tests/testing.h"

enum { MOST = 64 };

/* Sigmoid layers of these sizes, both ways, with the weights of the network. */
typedef struct Pair {
    Net *net;
    Run *run;
    Mlp *mlp;
    int L;
    const int *size;
} Pair;

static Pair
pair_create(int L, const int *size, int batch, const char *kernels)
{
    Net *net = net_create(cpu_backend(kernels, NULL), 3);
    int x = net_input(net, 1, 1, size[0]);
    for (int l = 1; l < L; l++)
        x = net_sigmoid(net, net_dense(net, x, size[l]));
    net_mse_loss(net, x);
    net_build(net);
    Mlp *mlp = mlp_create(L, size, 3);
    const float *w = net_parameters(net);
    for (int l = 2; l <= L; l++) {
        for (int i = 0; i < size[l - 1] * size[l - 2]; i++)
            mlp->w[l][i] = *w++;
        for (int j = 0; j < size[l - 1]; j++)
            mlp->b[l][j] = *w++;
    }
    return (Pair){net, run_create(net, &(RunOptions){.max_batch = batch}), mlp, L, size};
}

static void
pair_free(Pair *pair)
{
    run_free_all(pair->run);
    mlp_free(pair->mlp);
}

/* The sums of mlp's gradients divided by m, in the order of the network's array. */
static void
mean_gradients(const Pair *pair, int m, float *mean)
{
    for (int l = 2; l <= pair->L; l++) {
        for (int i = 0; i < pair->size[l - 1] * pair->size[l - 2]; i++)
            *mean++ = (float)(pair->mlp->dw[l][i] / m);
        for (int j = 0; j < pair->size[l - 1]; j++)
            *mean++ = (float)(pair->mlp->db[l][j] / m);
    }
}

static double
mlp_sample(Mlp *mlp, const float *x, int inputs, const float *y, int outputs)
{
    double input[MOST], target[MOST];
    for (int k = 0; k < inputs; k++)
        input[k] = x[k];
    for (int j = 0; j < outputs; j++)
        target[j] = y[j];
    mlp_forward(mlp, input);
    const double cost = mlp_cost(mlp, target);
    mlp_output_error(mlp, target);
    mlp_backpropagate(mlp);
    mlp_add_gradients(mlp);
    return cost;
}

static void
check_with(int L, const int *size, int m, const char *kernels)
{
    static float x[MOST * MOST], y[MOST * MOST];
    const int in = size[0], out = size[L - 1];
    Pair pair = pair_create(L, size, m, kernels);
    const size_t n = net_parameter_count(pair.net);
    float *mean = ARRAY(float, n);
    double cost = 0;
    rng_fill_normal(2, 1, 0, x, (size_t)(m * in), 0, 1);
    rng_fill_uniform(2, 2, 0, y, (size_t)(m * out), 0, 1);
    mlp_clear_gradients(pair.mlp);
    for (int i = 0; i < m; i++)
        cost += mlp_sample(pair.mlp, x + i * in, in, y + i * out, out) / m;
    mean_gradients(&pair, m, mean);
    const double loss = run_forward(pair.run, &(Batch){m, x, NULL, y});
    run_backward(pair.run, 1, RUN_ONLY);
    ck_assert_doubles(&loss, &cost, 1, 0, 1e-6);
    ck_assert_floats(net_gradients(pair.net), mean, n, 1e-7, 1e-5);
    array_free(mean);
    pair_free(&pair);
}

static void
check(int L, const int *size, int m)
{
    check_with(L, size, m, "naive");
    check_with(L, size, m, "best");
}

TEST_CALL(one_sample, check(3, (int[]){3, 5, 2}, 1))
TEST_CALL(a_batch_of_seven, check(3, (int[]){3, 5, 2}, 7))

TEST(one_layer)
{
    check(2, (int[]){1, 1}, 5);
    check(2, (int[]){13, 11}, 5);
}

TEST_CALL(five_layers, check(5, (int[]){7, 13, 3, 17, 5}, 11))
TEST_CALL(wide_layers, check(3, (int[]){61, 59, 37}, 53))

/* Half a batch with scale 1/2 and the other half likewise: together the gradient of the batch. */
TEST(parts_of_a_batch_add_up)
{
    float x[8 * 5], part[200] = {0}, whole[200];
    int labels[8];
    Run *run = run_from_text(cpu_backend("best", NULL), 9, (Shape){1, 1, 5}, "dense7 relu dense4 softmax", 8);
    Net *net = run_net(run);
    const size_t n = net_parameter_count(net);
    rng_fill_normal(2, 3, 0, x, 40, 0, 1);
    for (int i = 0; i < 8; i++)
        labels[i] = i % 4;
    run_forward(run, &(Batch){8, x, labels, NULL});
    run_backward(run, 1, RUN_ONLY);
    memcpy(whole, net_gradients(net), n * sizeof(float));
    static const int first[] = {0, 3}, count[] = {3, 5};
    for (int p = 0; p < 2; p++) {
        run_forward(run, &(Batch){count[p], x + 5 * first[p], labels + first[p], NULL});
        run_backward(run, (float)count[p] / 8, RUN_ONLY);
        for (size_t i = 0; i < n; i++)
            part[i] += net_gradients(net)[i];
    }
    ck_assert_floats(part, whole, n, 1e-7, 1e-5);
    run_free_all(run);
}

/* The network of the lecture, 2-2-2: its output, cost, and weights after one step with eta = 0.5 (Mazur's worked example; the
 * biases move too here, which these numbers do not see). */
TEST(golden_network_of_the_lecture)
{
    const float start[12] = {0.15F, 0.20F, 0.25F, 0.30F, 0.35F, 0.35F, 0.40F, 0.45F, 0.50F, 0.55F, 0.60F, 0.60F};
    const float output[2] = {0.7513650696F, 0.7729284653F};
    const float first[4] = {0.1497807161F, 0.1995614322F, 0.2497511436F, 0.2995022873F};
    const float second[4] = {0.3589164797F, 0.4086661861F, 0.5113012703F, 0.5613701211F};
    const char *const kernels[] = {"naive", "best"};
    for (int k = 0; k < 2; k++) {
        Run *run =
            run_from_text(cpu_backend(kernels[k], NULL), 1, (Shape){1, 1, 2}, "dense2 sigmoid dense2 sigmoid mse", 1);
        Net *net = run_net(run);
        Optimizer *sgd = optimizer_create(net_backend(net), OPTIMIZER_SGD, optimizer_defaults(), 12);
        float *w = net_parameters(net);
        memcpy(w, start, sizeof start);
        const double cost = run_forward(run, &(Batch){1, (float[]){0.05F, 0.10F}, NULL, (float[]){0.01F, 0.99F}});
        ck_assert_floats(run_output(run), output, 2, 2e-7, 0);
        ck_assert_double_eq_tol(cost, 0.2983711088, 3e-7);
        run_backward(run, 1, RUN_ONLY);
        optimizer_step(sgd, w, net_gradients(net), 0.5);
        ck_assert_floats(w, first, 4, 1e-7, 0);
        ck_assert_floats(w + 6, second, 4, 1e-7, 0);
        optimizer_free(sgd);
        run_free_all(run);
    }
}

TEST_MAIN("net batch")
