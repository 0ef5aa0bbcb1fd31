/* batch normalisation, rung 1: naive.
 * Idea      channel by channel: the mean, the mean square of the differences from it, then y. Two passes over the numbers before
 *           the one that writes, and in double: nothing can be lost.
 * Costs     a channel's numbers have a stride of `channels` floats, so each step loads a cache line to use four bytes of it.
 * SPDX-License-Identifier: MIT */
#include "cpu/norm/norm.h"
#include <math.h>

void
batch_norm_forward_naive(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon,
                         float momentum, float *running_mean, float *running_variance, float *y, float *mean,
                         float *inverse)
{
    const size_t R = (size_t)rows, C = (size_t)channels;
    for (size_t c = 0; R > 0 && c < C; c++) {
        double sum = 0, squares = 0;
        for (size_t r = 0; r < R; r++)
            sum += x[r * C + c];
        const double center = sum / rows;
        for (size_t r = 0; r < R; r++)
            squares += (x[r * C + c] - center) * (x[r * C + c] - center);
        mean[c] = (float)center;
        inverse[c] = (float)(1 / sqrt(squares / rows + (double)epsilon));
        if (running_mean != NULL)
            running_mean[c] += momentum * (mean[c] - running_mean[c]);
        if (running_variance != NULL)
            running_variance[c] += momentum * ((float)(squares / (rows > 1 ? rows - 1 : 1)) - running_variance[c]);
        for (size_t r = 0; r < R; r++)
            y[r * C + c] = (x[r * C + c] - mean[c]) * inverse[c] * gamma[c] + beta[c];
    }
}

void
batch_norm_infer_naive(int rows, int channels, const float *x, const float *gamma, const float *beta,
                       const float *running_mean, const float *running_variance, float epsilon, float *y)
{
    const size_t R = (size_t)rows, C = (size_t)channels;
    for (size_t c = 0; c < C; c++) {
        const float inverse = 1 / sqrtf(running_variance[c] + epsilon);
        for (size_t r = 0; r < R; r++)
            y[r * C + c] = (x[r * C + c] - running_mean[c]) * inverse * gamma[c] + beta[c];
    }
}

void
batch_norm_backward_naive(int rows, int channels, const float *x, const float *dy, const float *gamma,
                          const float *mean, const float *inverse, float *dx, float *dgamma, float *dbeta)
{
    const size_t R = (size_t)rows, C = (size_t)channels;
    for (size_t c = 0; c < C; c++) {
        double sum = 0, with_xhat = 0;
        for (size_t r = 0; r < R; r++) {
            const size_t i = r * C + c;
            sum += dy[i];
            with_xhat += (double)dy[i] * ((double)x[i] - (double)mean[c]) * (double)inverse[c];
        }
        dbeta[c] = (float)sum;
        dgamma[c] = (float)with_xhat;
        for (size_t r = 0; r < R; r++) {
            const size_t i = r * C + c;
            const float xhat = (x[i] - mean[c]) * inverse[c];
            dx[i] = gamma[c] * inverse[c] * (dy[i] - (float)(sum / rows) - xhat * (float)(with_xhat / rows));
        }
    }
}
