/* Normalisation. x, y, dx, dy are [rows][channels], dense; of images, rows = batch x height x width. Both may be 0.
 *
 *     xhat = (x - mean) inverse,   inverse = 1 / sqrt(variance + epsilon),   y = gamma xhat + beta
 *
 *     batch   mean and variance of each channel, over the rows:        mean, inverse [channels]
 *     layer   mean and variance of each row, over its channels:        mean, inverse [rows]
 *
 * gamma, beta, dgamma, dbeta [channels]. Variances divide by the count (biased), but the running variance by the count minus 1, as
 * in PyTorch. Arrays do not overlap, but y may be x, and dx may be dy.
 * A NaN or an infinity makes NaN of its channel (batch) or row (layer), and of nothing else.
 * Long sums are kept in double, those of short blocks of rows in float; the blocks depend on the sizes alone, so the bits do
 * not depend on the number of threads.
 * Sources: Ioffe and Szegedy 2015 (batch), Ba, Kiros and Hinton 2016 (layer).
 * SPDX-License-Identifier: MIT */
#ifndef CPU_NORM_H
#define CPU_NORM_H

#include <stddef.h>

/* Training. Writes y, mean, inverse; then running = (1 - momentum) running + momentum (mean or unbiased variance of this batch),
 * unless the running arrays are NULL. One row has no unbiased variance: its biased one, 0, is taken. rows 0: nothing is written. */
typedef void BatchNormForward(int rows, int channels, const float *x, const float *gamma, const float *beta,
                              float epsilon, float momentum, float *running_mean, float *running_variance, float *y,
                              float *mean, float *inverse);

/* Prediction: with the running mean and variance in place of the batch's own. */
typedef void BatchNormInfer(int rows, int channels, const float *x, const float *gamma, const float *beta,
                            const float *running_mean, const float *running_variance, float epsilon, float *y);

/* x, mean, inverse as in the forward pass. Overwrites dx, dgamma, dbeta (rows 0: the last two with zeros).
 *     dbeta = sum dy,   dgamma = sum dy xhat,   dx = gamma inverse (dy - dbeta / rows - xhat dgamma / rows) */
typedef void BatchNormBackward(int rows, int channels, const float *x, const float *dy, const float *gamma,
                               const float *mean, const float *inverse, float *dx, float *dgamma, float *dbeta);

/* Training and prediction are the same. Writes y, mean, inverse. */
typedef void LayerNormForward(int rows, int channels, const float *x, const float *gamma, const float *beta,
                              float epsilon, float *y, float *mean, float *inverse);

/* Overwrites dx, dgamma, dbeta (sums over the rows, as above).
 *     g = gamma dy,   dx = inverse (g - mean of g - xhat (mean of g xhat))       means over the row */
typedef void LayerNormBackward(int rows, int channels, const float *x, const float *dy, const float *gamma,
                               const float *mean, const float *inverse, float *dx, float *dgamma, float *dbeta);

/* Both passes in two steps each, for a batch whose rows several processes share: between the steps the sums of all are added, and
 * count is the number of all rows. With the sums and the count of one process alone the bits are those of rung 2.
 *
 *     batch_norm_sums             sum[2][channels] = sums of x and of x^2 over these rows
 *     batch_norm_normalise        the rest of BatchNormForward; rows 0: y is not touched
 *     batch_norm_gradient_sums    sum[2][channels] = sums of dy and of dy (x - mean) over these rows, and their dgamma and dbeta
 *     batch_norm_gradient         dx */
void batch_norm_sums(int rows, int channels, const float *x, double *sum);
void batch_norm_normalise(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon,
                          float momentum, double count, const double *sum, float *running_mean, float *running_variance,
                          float *y, float *mean, float *inverse);
void batch_norm_gradient_sums(int rows, int channels, const float *x, const float *dy, const float *mean,
                              const float *inverse, double *sum, float *dgamma, float *dbeta);
void batch_norm_gradient(int rows, int channels, const float *x, const float *dy, const float *gamma, const float *mean,
                         const float *inverse, double count, const double *sum, float *dx);

/* Rung 1: the formulas, sum by sum, in double. */
BatchNormForward batch_norm_forward_naive;
BatchNormInfer batch_norm_infer_naive;
BatchNormBackward batch_norm_backward_naive;
LayerNormForward layer_norm_forward_naive;
LayerNormBackward layer_norm_backward_naive;

/* Rung 2: rows in memory order, vectors, as few passes as possible, threads. */
BatchNormForward batch_norm_forward_vector;
BatchNormInfer batch_norm_infer_vector;
BatchNormBackward batch_norm_backward_vector;
LayerNormForward layer_norm_forward_vector;
LayerNormBackward layer_norm_backward_vector;

#endif
