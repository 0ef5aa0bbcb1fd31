/* Where the elements of a patch lie. The matrix of patches has a row for each output pixel and a column for each element of the
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

/* Where an element lies in its patch. */
struct Tap {
    int down, right, channel;
};

static __device__ inline Corner
corner_of(const GpuConvShape &s, int pixel)
{
    const int row = pixel / s.horizontal.outputs, j = pixel % s.horizontal.outputs;
    const int image = row / s.vertical.outputs, i = row % s.vertical.outputs;
    return {image, i * s.vertical.stride - s.vertical.padding, j * s.horizontal.stride - s.horizontal.padding};
}

static __device__ inline Tap
tap_of(const GpuConvShape &s, int element)
{
    const int channels = s.channels / s.groups;
    const int place = element / channels, a = place / s.horizontal.kernel, c = place % s.horizontal.kernel;
    return {a * s.vertical.dilation, c * s.horizontal.dilation, element % channels};
}

static __device__ inline float
patch_element(const GpuConvShape &s, const float *x, Corner corner, Tap tap, int group)
{
    const int h = corner.h + tap.down, l = corner.l + tap.right;
    if (h < 0 || h >= s.vertical.pixels || l < 0 || l >= s.horizontal.pixels)
        return 0;
    const size_t pixel = ((size_t)corner.image * s.vertical.pixels + h) * s.horizontal.pixels + l;
    return x[pixel * s.channels + group * (s.channels / s.groups) + tap.channel];
}

#endif
