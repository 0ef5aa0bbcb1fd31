/* Layer normalisation on the device (Ba, Kiros and Hinton 2016), forward:
 *
 *     xhat = (x - mean) inverse,   inverse = 1 / sqrt(variance + epsilon),   y = gamma xhat + beta
 *
 * mean and variance of each row, over its channels; the variance divides by their number. x, y [rows][channels], gamma, beta
 * [channels], mean, inverse [rows]: all dense, in device memory. Writes y, mean and inverse. y may be x; otherwise arrays must
 * not overlap. rows, channels >= 0; nothing is written if one is 0.
 *
 * Sums are kept in float; the rungs but welford take the variance in a second pass, from x - mean: the difference of the mean of
 * squares and the square of the mean would lose all digits where the mean is large. A NaN or an infinity makes NaN of its row of
 * y and of no other. Every rung but registers accepts every shape; bits repeat in every run.
 *
 * The best time is that of reading x once and writing y once, 8 bytes an element.
 * A call launches on the default stream and returns; gpu_synchronize (gpu/device.h) waits and says what went wrong.
 * Lecture: lectures/05-gemm-gpu.md. SPDX-License-Identifier: MIT */
#ifndef GPU_LAYERNORM_H
#define GPU_LAYERNORM_H

#ifdef __cplusplus
extern "C" {
#endif

typedef void GpuLayerNorm(int rows, int channels, const float *x, const float *gamma, const float *beta, float epsilon,
                          float *y, float *mean, float *inverse);

/* clang-format off */
GpuLayerNorm launch_layer_norm_naive;     /* 01: a thread a row: neighbours read different rows */
GpuLayerNorm launch_layer_norm_block;     /* 02: a block a row: coalesced, with barriers */
GpuLayerNorm launch_layer_norm_warp;      /* 03: a warp a row: no barrier */
GpuLayerNorm launch_layer_norm_welford;   /* 04: a warp a row, mean and variance in one pass */
GpuLayerNorm launch_layer_norm_registers; /* 05: a warp a row that stays in registers; channels <= LAYER_NORM_REGISTERS */
/* clang-format on */

enum { LAYER_NORM_REGISTERS = 1024 };

#ifdef __cplusplus
}
#endif

#endif
