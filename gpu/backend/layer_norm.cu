/* Layer normalisation: see kernels.h. cpu/norm/norm.h has the formulas. A warp for each row; the parameters' gradients are sums
 * down the columns (sums.cuh).
 * SPDX-License-Identifier: MIT */
#include "gpu/backend/kernels.h"
#include "gpu/backend/sums.cuh"
#include <cuda_runtime.h>

static unsigned
row_blocks(int rows)
{
    return ((unsigned)rows + BLOCK_WARPS - 1) / BLOCK_WARPS;
}

static __global__ void
layer_norm_forward(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon,
                   float *y, float *mean, float *inverse)
{
    const int row = blockIdx.x * BLOCK_WARPS + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) /* the whole warp */
        return;
    x += (size_t)row * channels;
    y += (size_t)row * channels;
    double sum = 0, squares = 0;
    for (int c = lane; c < channels; c += WARP)
        sum += x[c];
    const double center = warp_sum(sum) / channels;
    for (int c = lane; c < channels; c += WARP)
        squares += (x[c] - center) * (x[c] - center);
    squares = warp_sum(squares);
    const float m = (float)center, inv = (float)(1 / sqrt(squares / channels + (double)epsilon));
    for (int c = lane; c < channels; c += WARP)
        y[c] = (x[c] - m) * inv * gamma[c] + beta[c];
    if (lane == 0) {
        mean[row] = m;
        inverse[row] = inv;
    }
}

void
launch_layer_norm_forward(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon,
                          float *y, float *mean, float *inverse)
{
    const dim3 block(WARP, BLOCK_WARPS);
    if (rows > 0)
        layer_norm_forward<<<row_blocks(rows), block>>>(rows, channels, x, gamma, beta, epsilon, y, mean, inverse);
}

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

/* dx may be dy: a lane has read what it overwrites, and nobody else reads it. */
static __global__ void
layer_norm_rows(int rows, int channels, const float *x, const float *dy, const float *gamma, const float *mean,
                const float *inverse, float *dx)
{
    const int row = blockIdx.x * BLOCK_WARPS + threadIdx.y, lane = threadIdx.x;
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
    const dim3 columns(COLUMN_BLOCK, COLUMN_THREADS), row(WARP, BLOCK_WARPS);
    if (channels > 0)
        layer_norm_parameters<<<column_blocks(channels), columns>>>(rows, channels, x, dy, mean, inverse, dgamma,
                                                                    dbeta);
    if (rows > 0) /* last: dx may be dy */
        layer_norm_rows<<<row_blocks(rows), row>>>(rows, channels, x, dy, gamma, mean, inverse, dx);
}
