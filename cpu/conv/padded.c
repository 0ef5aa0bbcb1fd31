/* See padded.h. SPDX-License-Identifier: MIT */
#include "cpu/conv/padded.h"
#include "cpu/conv/patches.h"
#include <limits.h>
#include <string.h>

ConvShape
conv_padded_shape(const ConvShape *s)
{
    ConvShape padded = *s;
    padded.height += 2 * s->window.vertical.padding;
    padded.width += 2 * s->window.horizontal.padding;
    padded.window.vertical.padding = padded.window.horizontal.padding = 0;
    return padded;
}

bool
conv_padded_accepts(const ConvShape *s)
{
    const double height = s->height + 2.0 * s->window.vertical.padding,
                 width = s->width + 2.0 * s->window.horizontal.padding;
    return height * width * s->channels < INT_MAX;
}

size_t
conv_image_size(const ConvShape *s)
{
    return (size_t)s->height * (size_t)s->width * (size_t)s->channels;
}

/* One row of the larger image. */
static void
pad_row(const ConvShape *s, const float *x, int row, float *padded)
{
    const int padding = s->window.vertical.padding, height = s->height + 2 * padding;
    const size_t C = (size_t)s->channels, edge = (size_t)s->window.horizontal.padding * C,
                 inside = (size_t)s->width * C;
    const float *in = conv_input_pixel(s, x, row / height, row % height - padding, 0);
    float *out = padded + (size_t)row * (inside + 2 * edge);
    if (in == NULL) {
        memset(out, 0, (inside + 2 * edge) * sizeof *out);
        return;
    }
    memset(out, 0, edge * sizeof *out);
    memcpy(out + edge, in, inside * sizeof *out);
    memset(out + edge + inside, 0, edge * sizeof *out);
}

void
conv_write_padded(const ConvShape *s, const float *x, float *padded, int threads)
{
    const int rows = s->batch * (s->height + 2 * s->window.vertical.padding);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int row = 0; row < rows; row++)
        pad_row(s, x, row, padded);
    (void)threads;
}

void
conv_patch_offsets(const ConvShape *s, int row, int pixel, int channel, int *offset)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    const int C = s->channels / s->groups;
    for (int a = 0; a < v.kernel; a++)
        for (int c = 0; c < u.kernel; c++)
            for (int k = 0; k < C; k++)
                *offset++ = a * v.dilation * row + c * u.dilation * pixel + k * channel;
}

void
conv_pixel_offsets(const ConvShape *s, int *offset)
{
    for (int i = 0; i < conv_out_height(s); i++)
        for (int j = 0; j < conv_out_width(s); j++)
            *offset++ = (i * s->window.vertical.stride * s->width + j * s->window.horizontal.stride) * s->channels;
}
