/* layer normalisation, rung 2: block.
 * Idea      a block a row: thread t has elements t, t + 256, ..; the sums of the threads are added by shuffles and through
 *           shared memory (block_sum in gpu/warp.cuh).
 * Before    32 sectors for each load and store, and few threads.
 * Now       4: a warp reads and writes 32 neighbours. 256 threads for each row.
 * Costs     4 barriers a row, at which all 256 wait; rows shorter than 256 leave threads without work.
 * Wants     nothing (any shape).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/layernorm/layernorm.h"
#include "gpu/warp.cuh"

enum { THREADS = 256 };

static __global__ void
layer_norm_block(int channels, const float *x, const float *gamma, const float *beta, float epsilon, float *y,
                 float *mean, float *inverse)
{
    __shared__ float of_warp[THREADS / WARP];
    const unsigned row = blockIdx.x;
    x += (size_t)row * channels;
    y += (size_t)row * channels;
    float sum = 0, squares = 0;
    for (int c = threadIdx.x; c < channels; c += THREADS)
        sum += x[c];
    const float m = block_sum(sum, of_warp) / channels;
    for (int c = threadIdx.x; c < channels; c += THREADS)
        squares += (x[c] - m) * (x[c] - m);
    const float i = 1 / sqrtf(block_sum(squares, of_warp) / channels + epsilon);
    for (int c = threadIdx.x; c < channels; c += THREADS)
        y[c] = (x[c] - m) * i * gamma[c] + beta[c];
    if (threadIdx.x == 0) {
        mean[row] = m;
        inverse[row] = i;
    }
}

void
launch_layer_norm_block(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon,
                        float *y, float *mean, float *inverse)
{
    if (rows > 0 && channels > 0)
        layer_norm_block<<<rows, THREADS>>>(channels, x, gamma, beta, epsilon, y, mean, inverse);
}
