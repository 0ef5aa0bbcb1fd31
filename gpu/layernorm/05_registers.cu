/* layer normalisation, rung 5: registers.
 * Idea      a row of up to 1024 channels is up to 32 for each lane: they stay in registers between the passes (as in
 *           gpu/softmax/05_registers.cu, which says when an array does).
 * Before    x read twice (rung 4) or three times (rung 3).
 * Now       x read once, y written once: the 8 bytes that must be. Two passes over registers cost next to nothing, so there is no
 *           need for rung 4's divisions.
 * Costs     rows longer than 1024 would spill to local memory (register pressure).
 * Wants     channels <= 1024.   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/layernorm/layernorm.h"
#include "gpu/warp.cuh"

enum { ROWS = 8 };

/* EACH: channels for a lane, EACH * WARP >= channels. Elements beyond the row count as 0, then as no distance from the mean. */
template <int EACH>
static __global__ void
layer_norm_registers(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon,
                     float *y, float *mean, float *inverse)
{
    const int row = blockIdx.x * ROWS + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    x += (size_t)row * channels;
    y += (size_t)row * channels;
    float v[EACH], sum = 0, squares = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++)
        sum += v[k] = lane + k * WARP < channels ? x[lane + k * WARP] : 0;
    const float m = warp_sum(sum) / channels;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        v[k] = lane + k * WARP < channels ? v[k] - m : 0;
        squares += v[k] * v[k];
    }
    const float i = 1 / sqrtf(warp_sum(squares) / channels + epsilon);
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int c = lane + k * WARP;
        if (c < channels)
            y[c] = v[k] * i * gamma[c] + beta[c];
    }
    if (lane == 0) {
        mean[row] = m;
        inverse[row] = i;
    }
}

void
launch_layer_norm_registers(int rows, int channels, const float *x, const float *gamma, const float *beta,
                            float epsilon, float *y, float *mean, float *inverse)
{
    if (rows == 0 || channels == 0)
        return;
    const unsigned blocks = (rows - 1) / ROWS + 1;
    const dim3 threads(WARP, ROWS);
    if (channels <= 128)
        layer_norm_registers<4><<<blocks, threads>>>(rows, channels, x, gamma, beta, epsilon, y, mean, inverse);
    else if (channels <= 512)
        layer_norm_registers<16><<<blocks, threads>>>(rows, channels, x, gamma, beta, epsilon, y, mean, inverse);
    else
        layer_norm_registers<LAYER_NORM_REGISTERS / WARP>
            <<<blocks, threads>>>(rows, channels, x, gamma, beta, epsilon, y, mean, inverse);
}
