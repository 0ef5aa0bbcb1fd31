/* The CPU's kernel tables: which rung of each ladder a network runs on is decided here.
 * SPDX-License-Identifier: MIT */
#include "cpu/backend.h"
#include "core/array.h"
#include "cpu/activation/activation.h"
#include "cpu/bias/bias.h"
#include "cpu/conv/conv.h"
#include "cpu/copy/copy.h"
#include "cpu/dropout/dropout.h"
#include "cpu/finite/finite.h"
#include "cpu/gemm/choose.h"
#include "cpu/loss/loss.h"
#include "cpu/norm/norm.h"
#include "cpu/optimizer/optimizer.h"
#include "cpu/pool/pool.h"
#include "cpu/softmax/softmax.h"
#include <pthread.h>
#include <stdio.h>
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

static void *
host_allocate(size_t bytes)
{
    return array_create(bytes, 1);
}

static void
host_copy(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

static const Memory host = {
    .separate = false, .allocate = host_allocate, .free = array_free, .copy_in = host_copy, .copy_out = host_copy};

static const Backend naive = {
    .name = "naive",
    .memory = &host,
    .clear = clear_array,
    .narrow = narrow_array,
    .widen = widen_array,
    .all_finite = all_finite,
    .gemm = gemm_naive,
    .bias_fill = bias_fill,
    .bias_gradient = bias_gradient,
    .activation_forward = forward_naive,
    .activation_backward = backward,
    .add = add_into,
    .copy = copy_rows,
    .dropout = dropout,
    .conv_forward = conv_direct,
    .conv_input_gradient = conv_input_gradient_direct,
    .conv_weight_gradient = conv_weight_gradient_direct,
    .max_pool_forward = max_pool_forward_naive,
    .max_pool_backward = max_pool_backward_naive,
    .average_pool_forward = average_pool_forward_naive,
    .average_pool_backward = average_pool_backward_naive,
    .batch_norm_forward = batch_norm_forward_naive,
    .batch_norm_infer = batch_norm_infer_naive,
    .batch_norm_backward = batch_norm_backward_naive,
    .batch_norm_sums = batch_norm_sums,
    .batch_norm_normalise = batch_norm_normalise,
    .batch_norm_gradient_sums = batch_norm_gradient_sums,
    .batch_norm_gradient = batch_norm_gradient,
    .layer_norm_forward = layer_norm_forward_naive,
    .layer_norm_backward = layer_norm_backward_naive,
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
    .memory = &host,
    .clear = clear_array,
    .narrow = narrow_array,
    .widen = widen_array,
    .all_finite = all_finite,
    .gemm = gemm_expert,
    .bias_fill = bias_fill,
    .bias_gradient = bias_gradient,
    .activation_forward = forward_best,
    .activation_backward = backward,
    .add = add_into,
    .copy = copy_rows,
    .dropout = dropout,
    .conv_forward = conv_expert,
    .conv_input_gradient = conv_input_gradient_expert,
    .conv_weight_gradient = conv_weight_gradient_expert,
    .max_pool_forward = max_pool_forward_vector,
    .max_pool_backward = max_pool_backward_vector,
    .average_pool_forward = average_pool_forward_vector,
    .average_pool_backward = average_pool_backward_vector,
    .batch_norm_forward = batch_norm_forward_vector,
    .batch_norm_infer = batch_norm_infer_vector,
    .batch_norm_backward = batch_norm_backward_vector,
    .batch_norm_sums = batch_norm_sums,
    .batch_norm_normalise = batch_norm_normalise,
    .batch_norm_gradient_sums = batch_norm_gradient_sums,
    .batch_norm_gradient = batch_norm_gradient,
    .layer_norm_forward = layer_norm_forward_vector,
    .layer_norm_backward = layer_norm_backward_vector,
    .softmax_loss = softmax_loss_vector,
    .softmax_loss_backward = softmax_loss_backward,
    .mse_loss = mse_loss_lanes,
    .mse_loss_backward = mse_loss_backward,
    .sgd_step = sgd_step,
    .momentum_step = momentum_step,
    .adam_step = adam_step,
};

/* The best table with another gemm, for each rung: filled at the first request. */
enum { RUNGS_MAX = 16 };
static Backend with_rung[RUNGS_MAX];
static char names[RUNGS_MAX * 16]; /* "naive|best|reordered|.." */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
fill(void)
{
    size_t length = (size_t)snprintf(names, sizeof(names), "%s|%s", naive.name, best.name);
    for (int i = 0; i < RUNGS_MAX && gemm_choices[i].name; i++) {
        with_rung[i] = best;
        with_rung[i].name = gemm_choices[i].name;
        with_rung[i].gemm = gemm_choices[i].run;
        if (strcmp(gemm_choices[i].name, naive.name) != 0 && length < sizeof(names))
            length += (size_t)snprintf(names + length, sizeof(names) - length, "|%s", gemm_choices[i].name);
    }
}

const char *
cpu_backend_names(void)
{
    pthread_once(&once, fill);
    return names;
}

const Backend *
cpu_backend(const char *name, Error *error)
{
    pthread_once(&once, fill);
    if (strcmp(name, naive.name) == 0)
        return &naive;
    if (strcmp(name, best.name) == 0)
        return &best;
    for (int i = 0; i < RUNGS_MAX && with_rung[i].name; i++)
        if (strcmp(name, with_rung[i].name) == 0)
            return &with_rung[i];
    error_set(
        error,
        "there are no kernels called \"%s\": use one of %s (naive and best are the bottom and the top rung of every "
        "ladder, the others best with that rung of gemm)",
        name, names);
    return NULL;
}
