/* A backend is a table of kernels. Networks are written once against it; which rung of each ladder stands in the table, and on
 * which device, is decided where the table is made (cpu/backend.c). All arrays are row-major and dense.
 *
 * Every kernel gives the same bits whatever the number of threads: work is split between threads so that no sum is split.
 * SPDX-License-Identifier: MIT */
#ifndef NN_BACKEND_H
#define NN_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

typedef enum Activation { ACTIVATION_SIGMOID, ACTIVATION_TANH, ACTIVATION_RELU } Activation;

typedef struct Backend {
    const char *name;

    /* C[M][N] = alpha op(A) op(B) + beta C, op transposing where asked; lda, ldb, ldc are the strides of the rows as stored.
     * beta = 0 overwrites C, NaN included. */
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
