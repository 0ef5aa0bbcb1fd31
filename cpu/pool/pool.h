/* Pooling: each window of an image, channel by channel, becomes one number.
 *
 *     max        y[b][i][j][c] = the largest x[b][h][w][c] of the window's pixels inside the image
 *     average    y[b][i][j][c] = their sum / the window's pixels inside the image and its padding
 *
 *     x  [batch][height][width][channels]              NHWC
 *     y  [batch][out_height][out_width][channels]
 *
 * core/sliding_window.h says which pixels a window has. The average counts the padding's zeros, as PyTorch does by default: in
 * the middle it divides by the area of the kernel. A caller may ask for one output more than window_outputs(), as PyTorch's
 * ceil_mode does, whose last window begins inside and ends outside: pixels behind the padding are not counted then. The window
 * of a global average is the whole image: kernel height x width, one output.
 *
 * A window that holds no pixel of the image (padding as large as the kernel) has the maximum -infinity and no winner; one that does
 * not even touch the padding has the average 0. A NaN in a window is its maximum.
 * Arrays are dense and do not overlap; every size may be 0. The same bits for any number of threads.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_POOL_H
#define CPU_POOL_H

#include "core/pool_shape.h"
#include <stddef.h>
#include <stdint.h>

/* winner, as y: which pixel of the image, h width + w, the maximum came from; the first one of equal ones, the first NaN; -1 if
 * there is none. NULL (prediction): it is not written. */
typedef void MaxPoolForward(const PoolShape *shape, const float *x, float *y, int32_t *winner);

/* dx = the gradient of sum(y dy): overwritten. Each dy goes to its winner. */
typedef void MaxPoolBackward(const PoolShape *shape, const float *dy, const int32_t *winner, float *dx);

typedef void AveragePoolForward(const PoolShape *shape, const float *x, float *y);

/* dx: overwritten. Each dy is spread evenly over its window; what falls on the padding is lost. */
typedef void AveragePoolBackward(const PoolShape *shape, const float *dy, float *dx);

/* Rung 1: a channel of a window at a time; gradients are scattered from y to x. */
MaxPoolForward max_pool_forward_naive;
MaxPoolBackward max_pool_backward_naive;
AveragePoolForward average_pool_forward_naive;
AveragePoolBackward average_pool_backward_naive;

/* Rung 2: vectors along the channels, threads; gradients are gathered, so that each dx is written once. */
MaxPoolForward max_pool_forward_vector;
MaxPoolBackward max_pool_backward_vector;
AveragePoolForward average_pool_forward_vector;
AveragePoolBackward average_pool_backward_vector;

#endif
