/* layer normalisation, rung 3: warp.
 * Idea      a warp a row, 8 rows a block: the lanes' sums are added by shuffles (gpu/warp.cuh).
 * Before    4 barriers a row, at which 256 threads wait; short rows leave most of them without work.
 * Now       no barrier and no shared memory: warps are independent.
 * Costs     x is read three times: for rows that do not stay in L2 cache 16 bytes an element in place of 8.
 * Wants     nothing (any shape).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/layernorm/layernorm.h"
#include "gpu/warp.cuh"

enum { ROWS = 8 };

static __global__ void
layer_norm_warp(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon, float *y,
                float *mean, float *inverse)
{
    const int row = blockIdx.x * ROWS + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    x += (size_t)row * channels;
    y += (size_t)row * channels;
    float sum = 0, squares = 0;
    for (int c = lane; c < channels; c += WARP)
        sum += x[c];
    const float m = warp_sum(sum) / channels;
    for (int c = lane; c < channels; c += WARP)
        squares += (x[c] - m) * (x[c] - m);
    const float i = 1 / sqrtf(warp_sum(squares) / channels + epsilon);
    for (int c = lane; c < channels; c += WARP)
        y[c] = (x[c] - m) * i * gamma[c] + beta[c];
    if (lane == 0) {
        mean[row] = m;
        inverse[row] = i;
    }
}

void
launch_layer_norm_warp(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon,
                       float *y, float *mean, float *inverse)
{
    if (rows > 0 && channels > 0)
        layer_norm_warp<<<(rows - 1) / ROWS + 1, dim3(WARP, ROWS)>>>(rows, channels, x, gamma, beta, epsilon, y, mean,
                                                                     inverse);
}
