/* Batch normalisation: see kernels.h. cpu/norm/norm.h has the formulas. A block has 32 channels and reads all rows, once
 * for each sum and once to write (columns.cuh): mean first, then the squares of the differences from it, so that nothing cancels.
 * SPDX-License-Identifier: MIT */
#include "gpu/backend/columns.cuh"
#include "gpu/backend/elements.cuh"
#include "gpu/backend/kernels.h"
#include <cuda_runtime.h>

static __device__ inline void
move_towards(float *running, float value, float momentum)
{
    if (running != NULL)
        *running += momentum * (value - *running);
}

static __global__ void
batch_norm_forward(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon,
                   float momentum, float *running_mean, float *running_variance, float *y, float *mean, float *inverse)
{
    const int c = blockIdx.x * COLUMN_BLOCK + threadIdx.x;
    const int begin = c < channels ? threadIdx.y : rows; /* columns beyond the last have no rows */
    double sum = 0, squares = 0;
    for (int r = begin; r < rows; r += COLUMN_THREADS)
        sum += x[(size_t)r * channels + c];
    const double center = column_sum(sum) / rows;
    for (int r = begin; r < rows; r += COLUMN_THREADS)
        squares += (x[(size_t)r * channels + c] - center) * (x[(size_t)r * channels + c] - center);
    squares = column_sum(squares);
    const float m = (float)center, inv = (float)(1 / sqrt(squares / rows + (double)epsilon));
    for (int r = begin; r < rows; r += COLUMN_THREADS)
        y[(size_t)r * channels + c] = (x[(size_t)r * channels + c] - m) * inv * gamma[c] + beta[c];
    if (threadIdx.y > 0 || c >= channels)
        return;
    mean[c] = m;
    inverse[c] = inv;
    move_towards(running_mean == NULL ? NULL : &running_mean[c], m, momentum);
    move_towards(running_variance == NULL ? NULL : &running_variance[c], (float)(squares / (rows > 1 ? rows - 1 : 1)),
                 momentum);
}

void
launch_batch_norm_forward(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon,
                          float momentum, float *running_mean, float *running_variance, float *y, float *mean,
                          float *inverse)
{
    const dim3 block(COLUMN_BLOCK, COLUMN_THREADS);
    if (rows > 0 && channels > 0)
        batch_norm_forward<<<column_blocks(channels), block>>>(rows, channels, x, gamma, beta, epsilon, momentum,
                                                               running_mean, running_variance, y, mean, inverse);
}

static __global__ void
batch_norm_infer(size_t n, int channels, const float *x, const float *gamma, const float *beta,
                 const float *running_mean, const float *running_variance, float epsilon, float *y)
{
    const size_t i = element_number();
    const int c = (int)(i % channels);
    if (i < n)
        y[i] = (x[i] - running_mean[c]) * (1 / sqrtf(running_variance[c] + epsilon)) * gamma[c] + beta[c];
}

void
launch_batch_norm_infer(int rows, int channels, const float *x, const float *gamma, const float *beta,
                        const float *running_mean, const float *running_variance, float epsilon, float *y)
{
    const size_t n = (size_t)rows * channels;
    if (n > 0)
        batch_norm_infer<<<element_blocks(n), ELEMENT_THREADS>>>(n, channels, x, gamma, beta, running_mean,
                                                                 running_variance, epsilon, y);
}

/* dx may be dy: a thread has read what it overwrites, and no other thread reads it. */
static __global__ void
batch_norm_backward(int rows, int channels, const float *x, const float *dy, const float *gamma, const float *mean,
                    const float *inverse, float *dx, float *dgamma, float *dbeta)
{
    const int c = blockIdx.x * COLUMN_BLOCK + threadIdx.x;
    const int begin = c < channels ? threadIdx.y : rows;
    const float m = c < channels ? mean[c] : 0, inv = c < channels ? inverse[c] : 0;
    double sum = 0, with_xhat = 0;
    for (int r = begin; r < rows; r += COLUMN_THREADS) {
        const size_t i = (size_t)r * channels + c;
        sum += dy[i];
        with_xhat += (double)dy[i] * ((double)x[i] - (double)m) * (double)inv;
    }
    sum = column_sum(sum);
    with_xhat = column_sum(with_xhat);
    for (int r = begin; r < rows; r += COLUMN_THREADS) {
        const size_t i = (size_t)r * channels + c;
        const float xhat = (x[i] - m) * inv;
        dx[i] = gamma[c] * inv * (dy[i] - (float)(sum / rows) - xhat * (float)(with_xhat / rows));
    }
    if (threadIdx.y > 0 || c >= channels)
        return;
    dbeta[c] = (float)sum;
    dgamma[c] = (float)with_xhat;
}

void
launch_batch_norm_backward(int rows, int channels, const float *x, const float *dy, const float *gamma,
                           const float *mean, const float *inverse, float *dx, float *dgamma, float *dbeta)
{
    if (rows == 0) { /* mean and inverse were never written */
        launch_clear((size_t)channels, dgamma);
        launch_clear((size_t)channels, dbeta);
        return;
    }
    const dim3 block(COLUMN_BLOCK, COLUMN_THREADS);
    if (channels > 0)
        batch_norm_backward<<<column_blocks(channels), block>>>(rows, channels, x, dy, gamma, mean, inverse, dx, dgamma,
                                                                dbeta);
}
