/* Softmax and its loss, the cross-entropy, by row:
 *
 *     p[r][c] = e^z[r][c] / sum over c' of e^z[r][c']        loss of row r = -log p[r][label[r]]
 *
 * All but the naive rung compute both from z - max z: that divides numerator and denominator by the same number, and no e^ can
 * overflow. The loss is log(sum) - (z[label] - max), finite also where p[label] is rounded to 0. NaN in a row makes its loss and p
 * NaN. The vector rung's exponential is within 2e-7 of the exact one (cpu/exp.h; tests/cpu/test_activation.c).
 *
 * rows >= 0, classes >= 1; z, p are [rows][classes], dense; 0 <= labels[r] < classes. p may be z.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_SOFTMAX_H
#define CPU_SOFTMAX_H

/* Writes p; returns the sum of the rows' losses. labels NULL (prediction): returns NaN. */
typedef double SoftmaxLoss(int rows, int classes, const float *z, const int *labels, float *p);

SoftmaxLoss softmax_loss_naive;  /* without the maximum: overflows, as its file says */
SoftmaxLoss softmax_loss_stable; /* three passes */
SoftmaxLoss softmax_loss_online; /* maximum and sum in one pass */
SoftmaxLoss softmax_loss_vector; /* polynomials in vectors, threads */

/* dz = scale (p - onehot(labels)): with scale 1 the gradient of the sum of the losses, with 1 / rows that of their mean. */
void softmax_loss_backward(int rows, int classes, const float *p, const int *labels, float scale, float *dz);

#endif
