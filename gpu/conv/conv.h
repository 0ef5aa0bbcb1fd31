/* Convolution on the device, as networks use the word: what is computed is what cpu/conv/conv.h says.
 *
 *     y[b][i][j][o] = sum over a, c, k of  x[b][i s - p + a d][j s - p + c d][k] w[a][c][k][o]      + what the epilogue says
 *
 *     x  [batch][height][width][channels]                       NHWC
 *     w  [KH][KW][channels / groups][out_channels]              output channels of group g: a range of out_channels / groups
 *     y  [batch][out height][out width][out_channels]
 *
 * Pixels outside the image are zeros. x, w, workspace, y and the epilogue's arrays are dense, apart, and in device memory; the
 * shape and the epilogue itself (core/epilogue.h; NULL: y is the sum alone) are in the host's. batch, height, width, channels and
 * out_channels may be 0; every output is then what the empty sum, 0, leaves. height and width with their padding, the elements of a
 * patch, and batch * out height * out width stay below 2^31 - 64; x and y may be larger.
 *
 * workspace: gpu_conv_workspace() floats, with anything in them before and after. It may be NULL if that is 0. Only rung 2 uses
 * it. Sums are taken in float, each rung in an order of its own, which depends on the shape alone: the same bits each time.
 * A call launches on the default stream and returns; gpu_synchronize (gpu/device.h) waits and says what went wrong.
 * Lecture: lectures/05-gemm-gpu.md. SPDX-License-Identifier: MIT */
#ifndef GPU_CONV_H
#define GPU_CONV_H

#include "core/conv_shape.h"
#include "core/epilogue.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void GpuConv(const ConvShape *shape, const float *x, const float *w, float *workspace, const Epilogue *epilogue,
                     float *y);

/* clang-format off */
GpuConv launch_conv_direct;   /* 01: a thread for each output */
GpuConv launch_conv_im2col;   /* 02: the matrix of patches, written out, times w by gemm */
GpuConv launch_conv_implicit; /* 03: the same product; patches are gathered straight into shared memory */
/* clang-format on */

/* y as a matrix: a row for each output pixel, a column for each output channel. */
static inline size_t
gpu_conv_pixels(const ConvShape *s)
{
    return (size_t)s->batch * (size_t)conv_out_height(s) * (size_t)conv_out_width(s);
}

/* Elements of the patch that one output pixel of one group sees: the terms of a sum. */
static inline int
gpu_conv_patch(const ConvShape *s)
{
    return s->window.vertical.kernel * s->window.horizontal.kernel * (s->channels / s->groups);
}

/* Is x the matrix of its patches, so that rung 2 is a product and nothing else? 1 x 1, stride 1, no padding, one group. */
static inline bool
gpu_conv_is_product(const ConvShape *s)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    return s->groups == 1 && v.kernel == 1 && u.kernel == 1 && v.stride == 1 && u.stride == 1 && v.padding == 0 &&
           u.padding == 0;
}

/* How many patches rung 2 writes before it multiplies them: 16 MiB, which stay in the L2 cache of devices that have
 * 40 MiB or more of it (A100, H100); at least one patch. */
static inline size_t
gpu_conv_patches_at_once(const ConvShape *s)
{
    const size_t pixels = gpu_conv_pixels(s), patch = (size_t)gpu_conv_patch(s), room = (size_t)1 << 22;
    const size_t most = patch == 0 || room / patch == 0 ? 1 : room / patch;
    return pixels < most ? pixels : most;
}

/* Floats. */
static inline size_t
gpu_conv_workspace(const ConvShape *s)
{
    return gpu_conv_is_product(s) ? 0 : gpu_conv_patches_at_once(s) * (size_t)gpu_conv_patch(s);
}

#ifdef __cplusplus
}
#endif

#endif
