/* layer normalisation, rung 1: naive.
 * Idea      row by row, as the formulas are written, with the sums in double. A row is contiguous and stays in the L1 cache, so
 *           unlike in batch normalisation the order of accesses is good.
 * Costs     one number at a time, and each addition waits for the one before. The parameters' gradients walk down the columns.
 * SPDX-License-Identifier: MIT */
#include "cpu/norm/norm.h"
#include <math.h>

static void
row_forward(size_t C, const float *x, const float *gamma, const float *beta, float epsilon, float *y, float *mean,
            float *inverse)
{
    double sum = 0, squares = 0;
    for (size_t c = 0; c < C; c++)
        sum += x[c];
    const double center = sum / (double)C;
    for (size_t c = 0; c < C; c++)
        squares += (x[c] - center) * (x[c] - center);
    *mean = (float)center;
    *inverse = (float)(1 / sqrt(squares / (double)C + (double)epsilon));
    for (size_t c = 0; c < C; c++)
        y[c] = (x[c] - *mean) * *inverse * gamma[c] + beta[c];
}

void
layer_norm_forward_naive(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon,
                         float *y, float *mean, float *inverse)
{
    const size_t C = (size_t)channels;
    for (size_t r = 0; C > 0 && r < (size_t)rows; r++)
        row_forward(C, x + r * C, gamma, beta, epsilon, y + r * C, mean + r, inverse + r);
}

static void
row_backward(size_t C, const float *x, const float *dy, const float *gamma, float mean, float inverse, float *dx)
{
    double sum = 0, with_xhat = 0;
    for (size_t c = 0; c < C; c++) {
        const double g = (double)gamma[c] * (double)dy[c];
        sum += g;
        with_xhat += g * ((double)x[c] - (double)mean) * (double)inverse;
    }
    const float mean_g = (float)(sum / (double)C), mean_gx = (float)(with_xhat / (double)C);
    for (size_t c = 0; c < C; c++)
        dx[c] = inverse * (gamma[c] * dy[c] - mean_g - (x[c] - mean) * inverse * mean_gx);
}

void
layer_norm_backward_naive(int rows, int channels, const float *x, const float *dy, const float *gamma,
                          const float *mean, const float *inverse, float *dx, float *dgamma, float *dbeta)
{
    const size_t R = (size_t)rows, C = (size_t)channels;
    for (size_t c = 0; c < C; c++) {
        double sum = 0, with_xhat = 0;
        for (size_t r = 0; r < R; r++) {
            sum += dy[r * C + c];
            with_xhat += (double)dy[r * C + c] * ((double)x[r * C + c] - (double)mean[r]) * (double)inverse[r];
        }
        dbeta[c] = (float)sum;
        dgamma[c] = (float)with_xhat;
    }
    for (size_t r = 0; r < R; r++) /* last: dx may be dy */
        row_backward(C, x + r * C, dy + r * C, gamma, mean[r], inverse[r], dx + r * C);
}
