/* The CPU's kernel tables: which rung of each ladder a network runs on is decided here.
 * SPDX-License-Identifier: MIT */
#include "cpu/backend.h"
#include "cpu/activation/activation.h"
#include "cpu/bias/bias.h"
#include "cpu/gemm/gemm.h"
#include "cpu/loss/loss.h"
#include "cpu/optimizer/optimizer.h"
#include "cpu/softmax/softmax.h"
#include <string.h>

typedef void Forward(size_t n, const float *x, float *y);

static void
forward_by(Activation kind, Forward *sigmoid, Forward *hyperbolic, size_t n, const float *x, float *y)
{
    Forward *const forward[] = {
        [ACTIVATION_SIGMOID] = sigmoid, [ACTIVATION_TANH] = hyperbolic, [ACTIVATION_RELU] = relu_forward};
    forward[kind](n, x, y);
}

static void
forward_naive(Activation kind, size_t n, const float *x, float *y)
{
    forward_by(kind, sigmoid_libm, tanh_libm, n, x, y);
}

static void
forward_best(Activation kind, size_t n, const float *x, float *y)
{
    forward_by(kind, sigmoid_polynomial, tanh_polynomial, n, x, y);
}

static void
backward(Activation kind, size_t n, const float *y, const float *dy, float *dx)
{
    switch (kind) {
    case ACTIVATION_SIGMOID:
        sigmoid_gradient(n, y, dy, dx);
        break;
    case ACTIVATION_TANH:
        tanh_gradient(n, y, dy, dx);
        break;
    case ACTIVATION_RELU:
        relu_gradient(n, y, dy, dx);
        break;
    }
}

static const Backend naive = {
    .name = "naive",
    .gemm = gemm_naive,
    .bias_fill = bias_fill,
    .bias_gradient = bias_gradient,
    .activation_forward = forward_naive,
    .activation_backward = backward,
    .add = add_into,
    .softmax_loss = softmax_loss_stable,
    .softmax_loss_backward = softmax_loss_backward,
    .mse_loss = mse_loss_naive,
    .mse_loss_backward = mse_loss_backward,
    .sgd_step = sgd_step,
    .momentum_step = momentum_step,
    .adam_step = adam_step,
};

static const Backend best = {
    .name = "best",
    .gemm = gemm_register_tile,
    .bias_fill = bias_fill,
    .bias_gradient = bias_gradient,
    .activation_forward = forward_best,
    .activation_backward = backward,
    .add = add_into,
    .softmax_loss = softmax_loss_vector,
    .softmax_loss_backward = softmax_loss_backward,
    .mse_loss = mse_loss_lanes,
    .mse_loss_backward = mse_loss_backward,
    .sgd_step = sgd_step,
    .momentum_step = momentum_step,
    .adam_step = adam_step,
};

const Backend *
cpu_backend(const char *name, Error *error)
{
    const Backend *const tables[] = {&naive, &best};
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        if (strcmp(name, tables[i]->name) == 0)
            return tables[i];
    error_set(error,
              "there are no kernels called \"%s\": use naive (the bottom rung of every ladder) or best (the top)",
              name);
    return NULL;
}
