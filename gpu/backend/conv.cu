/* The gradients of the convolution, directly: see kernels.h. cpu/conv/conv.h has the formula. The input's gradient has a thread for
 * each element, neighbours in the channels; each element of the weights' gradient is a long sum, which a column of a block's
 * threads adds up.
 * SPDX-License-Identifier: MIT */
#include "gpu/backend/columns.cuh"
#include "gpu/backend/elements.cuh"
#include "gpu/backend/kernels.h"
#include <cuda_runtime.h>

/* Pixel (h, w) of image b: where its channels begin. */
static __device__ inline size_t
pixel_at(int b, int h, int w, int height, int width, int channels)
{
    return (((size_t)b * height + h) * width + w) * channels;
}

static __device__ inline bool
inside(int at, int size)
{
    return at >= 0 && at < size;
}

/* The output whose tap a falls on this pixel:  i stride = pixel + padding - a dilation.  -1 if there is none. */
static __device__ inline int
output_of(WindowAxis axis, int pixel, int a, int outputs)
{
    const int begin = pixel + axis.padding - a * axis.dilation;
    if (begin < 0 || begin % axis.stride != 0 || begin / axis.stride >= outputs)
        return -1;
    return begin / axis.stride;
}

/* All outputs that see channel k of pixel (h, w), each through the tap that does. */
static __device__ float
gathered(ConvShape s, const float *dy, const float *w, int b, int h, int column, int k)
{
    const WindowAxis v = s.window.vertical, u = s.window.horizontal;
    const int in = s.channels / s.groups, out = s.out_channels / s.groups, first = k / in * out;
    const int height = conv_out_height(&s), width = conv_out_width(&s);
    float sum = 0;
    for (int a = 0; a < v.kernel; a++)
        for (int c = 0; c < u.kernel; c++) {
            const int i = output_of(v, h, a, height), j = output_of(u, column, c, width);
            if (i < 0 || j < 0)
                continue;
            const float *pixel = dy + pixel_at(b, i, j, height, width, s.out_channels) + first;
            const float *tap = w + ((size_t)(a * u.kernel + c) * in + k % in) * s.out_channels + first;
            for (int o = 0; o < out; o++)
                sum += pixel[o] * tap[o];
        }
    return sum;
}

static __global__ void
conv_input_gradient(size_t n, ConvShape s, const float *dy, const float *w, float *dx)
{
    const size_t at = element_number();
    if (at >= n)
        return;
    const size_t pixel = at / s.channels, row = pixel / s.width;
    dx[at] = gathered(s, dy, w, (int)(row / s.height), (int)(row % s.height), (int)(pixel % s.width),
                      (int)(at % s.channels));
}

void
launch_conv_input_gradient(const ConvShape *shape, const float *dy, const float *w, float *dx)
{
    const size_t n = (size_t)shape->batch * shape->height * shape->width * shape->channels;
    if (n > 0)
        conv_input_gradient<<<element_blocks(n), ELEMENT_THREADS>>>(n, *shape, dy, w, dx);
}

/* blockIdx.x: a tap and a channel of x in each group, that is a row of dw; blockIdx.y: 32 of its columns, the output channels. The
 * threads of a column share the output pixels (columns.cuh). */
static __global__ void
conv_weight_gradient(ConvShape s, const float *x, const float *dy, float *dw)
{
    const WindowAxis v = s.window.vertical, u = s.window.horizontal;
    const int in = s.channels / s.groups, k = blockIdx.x % in, tap = blockIdx.x / in;
    const int o = blockIdx.y * COLUMN_BLOCK + threadIdx.x;
    const int channel = o < s.out_channels ? o / (s.out_channels / s.groups) * in + k : 0;
    const int height = conv_out_height(&s), width = conv_out_width(&s);
    float sum = 0;
    for (size_t p = threadIdx.y; o < s.out_channels && p < (size_t)s.batch * height * width; p += COLUMN_THREADS) {
        const size_t line = p / width;
        const int row = window_begin(v, (int)(line % height)) + tap / u.kernel * v.dilation;
        const int column = window_begin(u, (int)(p % width)) + tap % u.kernel * u.dilation;
        if (inside(row, s.height) && inside(column, s.width))
            sum += x[pixel_at((int)(line / height), row, column, s.height, s.width, s.channels) + channel] *
                   dy[p * s.out_channels + o];
    }
    const double all = column_sum((double)sum);
    if (threadIdx.y == 0 && o < s.out_channels)
        dw[(size_t)blockIdx.x * s.out_channels + o] = (float)all;
}

void
launch_conv_weight_gradient(const ConvShape *shape, const float *x, const float *dy, float *dw)
{
    const int rows =
        shape->window.vertical.kernel * shape->window.horizontal.kernel * (shape->channels / shape->groups);
    if (rows == 0 || shape->out_channels == 0)
        return;
    const dim3 grid(rows, column_blocks(shape->out_channels)), block(COLUMN_BLOCK, COLUMN_THREADS);
    conv_weight_gradient<<<grid, block>>>(*shape, x, dy, dw);
}
