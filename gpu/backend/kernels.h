/* The kernels that a backend on the device (gpu/backend.c) needs for operations that have no ladder in gpu/: simple ones that
 * accept every shape. nn/backend.h states what they compute, cpu/<operation>/ the details; their arguments are the same.
 *
 * All arrays are in device memory, shapes in the host's. How a sum is partitioned between threads depends on its length alone, and
 * there are no atomic additions: the same call gives the same bits. Sums of statistics and of squared errors are double. Calls
 * launch on the default stream and return; gpu_synchronize (gpu/device.h) waits and says what went wrong.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_BACKEND_KERNELS_H
#define GPU_BACKEND_KERNELS_H

#include "core/conv_shape.h"
#include "core/number.h"
#include "core/pool_shape.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* arrays.cu: a thread for each element. */
void launch_clear(size_t n, float *x);
void launch_narrow(NumberType type, size_t n, const float *x, void *y);
void launch_widen(NumberType type, size_t n, const void *x, float *y);
void launch_add(size_t n, const float *x, float *y);
void launch_copy_rows(size_t rows, size_t columns, const float *x, size_t ldx, float *y, size_t ldy);
void launch_bias_fill(int rows, int columns, const float *bias, float *y);
/* *found = 1 if one is infinite or NaN; else it stays as it is. */
void launch_find_not_finite(size_t n, const float *x, int *found);
/* dbias[c] += sum over r of dy[r][c]. */
void launch_bias_gradient(int rows, int columns, const float *dy, float *dbias);

/* activation.cu */
typedef void GpuActivation(size_t n, const float *x, float *y);
typedef void GpuActivationGradient(size_t n, const float *y, const float *dy, float *dx);
GpuActivation launch_sigmoid, launch_tanh, launch_relu;
GpuActivationGradient launch_sigmoid_gradient, launch_tanh_gradient, launch_relu_gradient;

/* dropout.cu */
void launch_dropout(size_t n, const float *x, float *y, float probability, uint64_t seed, uint64_t stream,
                    uint64_t first);

/* conv.cu */
void launch_conv_input_gradient(const ConvShape *shape, const float *dy, const float *w, float *dx);
void launch_conv_weight_gradient(const ConvShape *shape, const float *x, const float *dy, float *dw);

/* pool.cu */
void launch_max_pool_forward(const PoolShape *shape, const float *x, float *y, int32_t *winner);
void launch_max_pool_backward(const PoolShape *shape, const float *dy, const int32_t *winner, float *dx);
void launch_average_pool_forward(const PoolShape *shape, const float *x, float *y);
void launch_average_pool_backward(const PoolShape *shape, const float *dy, float *dx);

/* batch_norm.cu */
void launch_batch_norm_forward(int rows, int channels, const float *x, const float *gamma, const float *beta,
                               float epsilon, float momentum, float *running_mean, float *running_variance, float *y,
                               float *mean, float *inverse);
void launch_batch_norm_infer(int rows, int channels, const float *x, const float *gamma, const float *beta,
                             const float *running_mean, const float *running_variance, float epsilon, float *y);
void launch_batch_norm_backward(int rows, int channels, const float *x, const float *dy, const float *gamma,
                                const float *mean, const float *inverse, float *dx, float *dgamma, float *dbeta);

/* layer_norm.cu */
void launch_layer_norm_backward(int rows, int channels, const float *x, const float *dy, const float *gamma,
                                const float *mean, const float *inverse, float *dx, float *dgamma, float *dbeta);

/* loss.cu. sums[0] becomes what the backend's function returns; sums has MSE_SUMS numbers. */
enum { MSE_SUMS = 1024 };
void launch_mse_loss(size_t n, const float *x, const float *target, double *sums);
void launch_mse_loss_backward(size_t n, const float *x, const float *target, float scale, float *dx);
void launch_softmax_loss_backward(int rows, int classes, const float *probability, const int *labels, float scale,
                                  float *dlogits);

/* optimizer.cu */
void launch_sgd_step(size_t n, float *w, const float *dw, float rate, float weight_decay);
void launch_momentum_step(size_t n, float *w, const float *dw, float *velocity, float rate, float momentum,
                          float weight_decay, bool nesterov);
void launch_adam_step(size_t n, float *w, const float *dw, float *m, float *v, float rate, double beta1, double beta2,
                      float epsilon, float weight_decay, double correction1, double correction2);

#ifdef __cplusplus
}
#endif

#endif
