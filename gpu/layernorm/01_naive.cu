/* layer normalisation, rung 1: naive.
 * Idea      a thread a row, three passes as on a processor: the mean, the variance, the result.
 * Costs     the 32 threads of a warp are in 32 rows: each load of x and store of y touches 32 sectors of 32 bytes for 4 bytes
 *           used of each (gamma and beta: one sector, all lanes read the same). And a thousand rows are only a thousand threads.
 * Wants     nothing (any shape).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/layernorm/layernorm.h"
#include <cuda_runtime.h>

enum { THREADS = 256 };

static __global__ void
layer_norm_naive(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon, float *y,
                 float *mean, float *inverse)
{
    const int row = blockIdx.x * THREADS + threadIdx.x;
    if (row >= rows)
        return;
    x += (size_t)row * channels;
    y += (size_t)row * channels;
    float sum = 0, squares = 0;
    for (int c = 0; c < channels; c++)
        sum += x[c];
    const float m = sum / channels;
    for (int c = 0; c < channels; c++)
        squares += (x[c] - m) * (x[c] - m);
    const float i = 1 / sqrtf(squares / channels + epsilon);
    for (int c = 0; c < channels; c++)
        y[c] = (x[c] - m) * i * gamma[c] + beta[c];
    mean[row] = m;
    inverse[row] = i;
}

void
launch_layer_norm_naive(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon,
                        float *y, float *mean, float *inverse)
{
    if (rows > 0 && channels > 0)
        layer_norm_naive<<<(rows - 1) / THREADS + 1, THREADS>>>(rows, channels, x, gamma, beta, epsilon, y, mean,
                                                                inverse);
}
