/* layer normalisation, rung 4: Welford.
 * Idea      mean and sum of squared differences in one pass (Welford 1962): each number moves the mean by its share, and adds the
 *           product of its distances from the old and the new mean. Two lanes combine their moments (Chan, Golub and
 *           LeVeque 1979):
 *
 *               delta = mean' - mean,   n'' = n + n',   mean'' = mean + delta n' / n''
 *               squares'' = squares + squares' + delta^2 n n' / n''
 *
 * Before    x read three times: 16 bytes an element from memory.
 * Now       twice: 12. The price is a division for each element, and additions of which each waits for the one before.
 * Wants     nothing (any shape).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/layernorm/layernorm.h"
#include "gpu/warp.cuh"

enum { ROWS = 8 };

struct Moments {
    float n, mean, squares; /* the number; their mean; the sum of (x - mean)^2 */
};

static __device__ Moments
include(Moments a, float x)
{
    const float delta = x - a.mean, n = a.n + 1, mean = a.mean + delta / n;
    return {n, mean, a.squares + delta * (x - mean)};
}

/* For every lane what lane 0 has: the formula is not symmetric, so the other lanes' last bits may differ. */
static __device__ Moments
of_warp(Moments a)
{
    for (int step = WARP / 2; step > 0; step /= 2) {
        const Moments b = {__shfl_down_sync(WARP_ALL, a.n, step), __shfl_down_sync(WARP_ALL, a.mean, step),
                           __shfl_down_sync(WARP_ALL, a.squares, step)};
        const float n = a.n + b.n, share = n > 0 ? b.n / n : 0, delta = b.mean - a.mean;
        a = {n, a.mean + delta * share, a.squares + b.squares + delta * delta * a.n * share};
    }
    return {__shfl_sync(WARP_ALL, a.n, 0), __shfl_sync(WARP_ALL, a.mean, 0), __shfl_sync(WARP_ALL, a.squares, 0)};
}

static __global__ void
layer_norm_welford(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon,
                   float *y, float *mean, float *inverse)
{
    const int row = blockIdx.x * ROWS + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    x += (size_t)row * channels;
    y += (size_t)row * channels;
    Moments a = {0, 0, 0};
    for (int c = lane; c < channels; c += WARP)
        a = include(a, x[c]);
    a = of_warp(a);
    const float m = a.mean, i = 1 / sqrtf(a.squares / channels + epsilon);
    for (int c = lane; c < channels; c += WARP)
        y[c] = (x[c] - m) * i * gamma[c] + beta[c];
    if (lane == 0) {
        mean[row] = m;
        inverse[row] = i;
    }
}

void
launch_layer_norm_welford(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon,
                          float *y, float *mean, float *inverse)
{
    if (rows > 0 && channels > 0)
        layer_norm_welford<<<(rows - 1) / ROWS + 1, dim3(WARP, ROWS)>>>(rows, channels, x, gamma, beta, epsilon, y,
                                                                        mean, inverse);
}
