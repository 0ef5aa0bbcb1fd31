/* A backend is a table of kernels. Networks are written once against it; which rung of each ladder stands in the table, and on
 * which device, is decided where the table is made (cpu/backend.c). All arrays are row-major and dense.
 *
 * Every kernel gives the same bits whatever the number of threads: work is split between threads so that no sum is split.
 * SPDX-License-Identifier: MIT */
#ifndef NN_BACKEND_H
#define NN_BACKEND_H

#include "core/conv_shape.h"
#include "core/epilogue.h"
#include "core/number.h"
#include "core/pool_shape.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum Activation { ACTIVATION_SIGMOID, ACTIVATION_TANH, ACTIVATION_RELU } Activation;

/* Where the arrays are that a backend works on. Calls end the program when they fail. */
typedef struct Memory {
    bool separate;                   /* the host cannot read or write it, but by copies (nn/host_view.h) */
    void *(*allocate)(size_t bytes); /* never NULL, also for 0 bytes; what it holds is not defined */
    void (*free)(void *memory);      /* NULL is allowed */
    void (*copy_in)(void *memory, const void *host, size_t bytes);
    void (*copy_out)(void *host, const void *memory, size_t bytes);
} Memory;

typedef struct Backend {
    const char *name;

    /* Every array below lies there, labels too. On a device, functions that return nothing may return before they have done it;
     * what follows waits for them. */
    const Memory *memory;

    /* x = 0. */
    void (*clear)(size_t n, float *x);

    /* Numbers stored as type, from and to float: round to nearest, ties to even. */
    void (*narrow)(NumberType type, size_t n, const float *x, void *y);
    void (*widen)(NumberType type, size_t n, const void *x, float *y);

    /* Is no element infinite or NaN? */
    bool (*all_finite)(size_t n, const float *x);

    /* C[M][N] = alpha op(A) op(B) + beta C, op transposing if the flag is set; lda, ldb, ldc are the strides of the rows as
     * stored. beta = 0 overwrites C, NaN included. */
    void (*gemm)(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
                 const float *B, int ldb, float beta, float *C, int ldc);

    /* y[r][c] = bias[c]: a matrix product then adds to it. */
    void (*bias_fill)(int rows, int columns, const float *bias, float *y);

    /* dbias[c] += sum over r of dy[r][c]. */
    void (*bias_gradient)(int rows, int columns, const float *dy, float *dbias);

    /* y = sigma(x); dx = dy * sigma'(x), computed from y. dx may be dy. */
    void (*activation_forward)(Activation kind, size_t n, const float *x, float *y);
    void (*activation_backward)(Activation kind, size_t n, const float *y, const float *dy, float *dx);

    /* y += x: the gradients of a value that several layers have read. */
    void (*add)(size_t n, const float *x, float *y);

    /* y[r][c] = x[r][c] for rows of `columns` numbers that begin ldx and ldy apart. */
    void (*copy)(size_t rows, size_t columns, const float *x, size_t ldx, float *y, size_t ldy);

    /* y[i] = 0 where uniform number first + i of the seed's stream is below probability, else x[i] / (1 - probability). */
    void (*dropout)(size_t n, const float *x, float *y, float probability, uint64_t seed, uint64_t stream,
                    uint64_t first);

    /* y = x * w, then the epilogue; the gradients are overwritten. x and y are NHWC, w is [KH][KW][IC / groups][OC]. */
    void (*conv_forward)(const ConvShape *shape, const float *x, const float *w, const Epilogue *epilogue, float *y);
    void (*conv_input_gradient)(const ConvShape *shape, const float *dy, const float *w, float *dx);
    void (*conv_weight_gradient)(const ConvShape *shape, const float *x, const float *dy, float *dw);

    /* winner, as y: h width + w of the pixel that the maximum came from. The average counts the zeros of the padding. */
    void (*max_pool_forward)(const PoolShape *shape, const float *x, float *y, int32_t *winner);
    void (*max_pool_backward)(const PoolShape *shape, const float *dy, const int32_t *winner, float *dx);
    void (*average_pool_forward)(const PoolShape *shape, const float *x, float *y);
    void (*average_pool_backward)(const PoolShape *shape, const float *dy, float *dx);

    /* y = gamma (x - mean) inverse + beta, inverse = 1 / sqrt(variance + epsilon): batch takes the statistics of a channel over
     * the rows, [channels], layer those of a row, [rows]. Training updates running = (1 - momentum) running + momentum new.
     * dx may be dy; dgamma and dbeta are overwritten. */
    void (*batch_norm_forward)(int rows, int channels, const float *x, const float *gamma, const float *beta,
                               float epsilon, float momentum, float *running_mean, float *running_variance, float *y,
                               float *mean, float *inverse);
    void (*batch_norm_infer)(int rows, int channels, const float *x, const float *gamma, const float *beta,
                             const float *running_mean, const float *running_variance, float epsilon, float *y);
    void (*batch_norm_backward)(int rows, int channels, const float *x, const float *dy, const float *gamma,
                                const float *mean, const float *inverse, float *dx, float *dgamma, float *dbeta);
    /* The same in two steps each, between which several processes add up their sums [2][channels] over their rows, of which there
     * are count (cpu/norm/norm.h). NULL where arrays are not in the host's memory. */
    void (*batch_norm_sums)(int rows, int channels, const float *x, double *sum);
    void (*batch_norm_normalise)(int rows, int channels, const float *x, const float *gamma, const float *beta,
                                 float epsilon, float momentum, double count, const double *sum, float *running_mean,
                                 float *running_variance, float *y, float *mean, float *inverse);
    void (*batch_norm_gradient_sums)(int rows, int channels, const float *x, const float *dy, const float *mean,
                                     const float *inverse, double *sum, float *dgamma, float *dbeta);
    void (*batch_norm_gradient)(int rows, int channels, const float *x, const float *dy, const float *gamma,
                                const float *mean, const float *inverse, double count, const double *sum, float *dx);
    void (*layer_norm_forward)(int rows, int channels, const float *x, const float *gamma, const float *beta,
                               float epsilon, float *y, float *mean, float *inverse);
    void (*layer_norm_backward)(int rows, int channels, const float *x, const float *dy, const float *gamma,
                                const float *mean, const float *inverse, float *dx, float *dgamma, float *dbeta);

    /* probability = softmax(logits) by row, shifted by the row's maximum so that exp cannot overflow. Returns the sum over
     * the rows of the cross-entropy -log probability[label]; NaN if labels is NULL. */
    double (*softmax_loss)(int rows, int classes, const float *logits, const int *labels, float *probability);

    /* dlogits = scale * (probability - onehot(label)). */
    void (*softmax_loss_backward)(int rows, int classes, const float *probability, const int *labels, float scale,
                                  float *dlogits);

    /* Returns the sum over all elements of 1/2 (target - x)^2; dx = scale * (x - target). */
    double (*mse_loss)(size_t n, const float *x, const float *target);
    void (*mse_loss_backward)(size_t n, const float *x, const float *target, float scale, float *dx);

    /* Optimiser steps, one pass over parameters and state (nn/optimizer.h states the formulas). */
    void (*sgd_step)(size_t n, float *w, const float *dw, float rate, float weight_decay);
    void (*momentum_step)(size_t n, float *w, const float *dw, float *velocity, float rate, float momentum,
                          float weight_decay, bool nesterov);
    void (*adam_step)(size_t n, float *w, const float *dw, float *m, float *v, float rate, double beta1, double beta2,
                      float epsilon, float weight_decay, double correction1, double correction2);
} Backend;

#endif
