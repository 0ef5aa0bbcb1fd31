/* The gradients of layer normalisation: see kernels.h. cpu/norm/norm.h has the formulas. A warp for each row; the parameters'
 * gradients are sums down the columns (columns.cuh).
 * SPDX-License-Identifier: MIT */
#include "gpu/backend/columns.cuh"
#include "gpu/backend/kernels.h"
#include <cuda_runtime.h>

enum { ROWS = 8 }; /* of a block: a warp each */

static __global__ void
layer_norm_parameters(int rows, int channels, const float *x, const float *dy, const float *mean, const float *inverse,
                      float *dgamma, float *dbeta)
{
    const int c = blockIdx.x * COLUMN_BLOCK + threadIdx.x;
    double sum = 0, with_xhat = 0;
    for (int r = threadIdx.y; c < channels && r < rows; r += COLUMN_THREADS) {
        const size_t i = (size_t)r * channels + c;
        sum += dy[i];
        with_xhat += (double)dy[i] * ((double)x[i] - (double)mean[r]) * (double)inverse[r];
    }
    sum = column_sum(sum);
    with_xhat = column_sum(with_xhat);
    if (threadIdx.y > 0 || c >= channels)
        return;
    dbeta[c] = (float)sum;
    dgamma[c] = (float)with_xhat;
}

/* dx may be dy: a lane has read what it overwrites, and no other thread reads it. */
static __global__ void
layer_norm_rows(int rows, int channels, const float *x, const float *dy, const float *gamma, const float *mean,
                const float *inverse, float *dx)
{
    const int row = blockIdx.x * ROWS + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    const float m = mean[row], inv = inverse[row];
    x += (size_t)row * channels;
    dy += (size_t)row * channels;
    dx += (size_t)row * channels;
    double sum = 0, with_xhat = 0;
    for (int c = lane; c < channels; c += WARP) {
        const double g = (double)gamma[c] * (double)dy[c];
        sum += g;
        with_xhat += g * ((double)x[c] - (double)m) * (double)inv;
    }
    const float mean_g = (float)(warp_sum(sum) / channels), mean_gx = (float)(warp_sum(with_xhat) / channels);
    for (int c = lane; c < channels; c += WARP)
        dx[c] = inv * (gamma[c] * dy[c] - mean_g - (x[c] - m) * inv * mean_gx);
}

void
launch_layer_norm_backward(int rows, int channels, const float *x, const float *dy, const float *gamma,
                           const float *mean, const float *inverse, float *dx, float *dgamma, float *dbeta)
{
    const dim3 columns(COLUMN_BLOCK, COLUMN_THREADS), row(WARP, ROWS);
    if (channels > 0)
        layer_norm_parameters<<<column_blocks(channels), columns>>>(rows, channels, x, dy, mean, inverse, dgamma,
                                                                    dbeta);
    if (rows > 0) /* last: dx may be dy */
        layer_norm_rows<<<(rows - 1) / ROWS + 1, row>>>(rows, channels, x, dy, gamma, mean, inverse, dx);
}
