/* conv, rung 1: direct.
 * Idea      the seven sums and counters of the formula are seven loops. The innermost runs along the output channels, where w and y
 *           are contiguous, so that the compiler makes vectors of it.
 * Cost      2 KH KW channels/groups multiplications and additions for each output.
 * But       an output is loaded and stored once for each product: three accesses to the L1 cache for one multiply-add.
 * Wants     nothing: groups, dilation, stride and padding as they come. One thread.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "cpu/conv/conv.h"
#include "cpu/conv/patches.h"
#include "cpu/epilogue.h"
#include <string.h>

/* One tap for one group of one output pixel: y[o] += sum over k of x[k] w[k][o]. */
static void
add_tap(int channels, int outputs, const float *x, const float *w, size_t w_row, float *restrict y)
{
    for (int k = 0; k < channels; k++, w += w_row)
        for (int o = 0; o < outputs; o++)
            y[o] += x[k] * w[o];
}

/* All taps inside the image, all groups. */
static void
add_window(const ConvShape *s, const float *x, const float *w, Pixel p, float *y)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    const int channels = s->channels / s->groups, outputs = s->out_channels / s->groups;
    for (int a = 0; a < v.kernel; a++)
        for (int c = 0; c < u.kernel; c++, w += (size_t)channels * (size_t)s->out_channels) {
            const int row = window_begin(v, p.i) + a * v.dilation, column = window_begin(u, p.j) + c * u.dilation;
            const float *pixel = conv_input_pixel(s, x, p.b, row, column);
            for (int g = 0; pixel != NULL && g < s->groups; g++)
                add_tap(channels, outputs, pixel + g * channels, w + g * outputs, (size_t)s->out_channels,
                        y + g * outputs);
        }
}

void
conv_direct(const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    size_t at = 0;
    for (int b = 0; b < s->batch; b++)
        for (int i = 0; i < conv_out_height(s); i++)
            for (int j = 0; j < conv_out_width(s); j++, at += (size_t)s->out_channels) {
                memset(y + at, 0, sizeof(float) * (size_t)s->out_channels);
                add_window(s, x, w, (Pixel){b, i, j}, y + at);
                epilogue_row(epilogue, 0, at, s->out_channels, y);
            }
}
