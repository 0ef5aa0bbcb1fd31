/* Where the elements of a patch are. The matrix of patches has a row for each output pixel and a column for each element of the
 * kernel: the product of it and w is y. For gpu/conv/.
 *
 *     row     (b, i, j)     which pixel: its patch begins at pixel (i s - p, j s - p) of image b, perhaps outside
 *     column  (a, c, k)     which element: a pixels down and c to the right, each times the dilation, channel k of the group
 *
 * SPDX-License-Identifier: MIT */
#ifndef GPU_CONV_PATCHES_CUH
#define GPU_CONV_PATCHES_CUH

#include "gpu/conv/conv.h"
#include <cuda_runtime.h>

/* The first pixel of a patch, relative to an image's; and the image. */
struct Corner {
    int image, h, l;
};

/* Where an element is in its patch. */
struct Tap {
    int down, right, channel;
};

static __device__ inline Corner
corner_of(const ConvShape &s, int pixel)
{
    const int height = conv_out_height(&s), width = conv_out_width(&s), row = pixel / width;
    return {row / height, window_begin(s.window.vertical, row % height),
            window_begin(s.window.horizontal, pixel % width)};
}

static __device__ inline Tap
tap_of(const ConvShape &s, int element)
{
    const int channels = s.channels / s.groups;
    const int place = element / channels, a = place / s.window.horizontal.kernel,
              c = place % s.window.horizontal.kernel;
    return {a * s.window.vertical.dilation, c * s.window.horizontal.dilation, element % channels};
}

static __device__ inline float
patch_element(const ConvShape &s, const float *x, Corner corner, Tap tap, int group)
{
    const int h = corner.h + tap.down, l = corner.l + tap.right;
    if (h < 0 || h >= s.height || l < 0 || l >= s.width)
        return 0;
    const size_t pixel = ((size_t)corner.image * s.height + h) * s.width + l;
    return x[pixel * s.channels + group * (s.channels / s.groups) + tap.channel];
}

static inline Epilogue
epilogue_or_none(const Epilogue *epilogue)
{
    return epilogue != NULL ? *epilogue : Epilogue{NULL, NULL, false};
}

/* Element `at` of y, whose output channel is o, from its sum. */
static __device__ inline float
finish(Epilogue epilogue, float sum, size_t at, int o)
{
    if (epilogue.bias != NULL)
        sum += epilogue.bias[o];
    if (epilogue.residual != NULL)
        sum += epilogue.residual[at];
    return epilogue.relu && sum < 0 ? 0 : sum; /* NaN stays NaN */
}

#endif
