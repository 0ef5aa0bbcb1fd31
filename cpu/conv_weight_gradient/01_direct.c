/* conv_weight_gradient, rung 1: direct.
 * Idea      the forward loops as they stand: y[p][o] += x[q][k] w[a][c][k][o] says that x[q][k] dy[p][o] belongs to dw[a][c][k][o].
 * Cost      as many multiplications as forward.
 * But       all of dw is read and written for each output pixel; the sum over pixels, the long one, never stays in a register.
 * Wants     nothing: groups, dilation, stride and padding as they come.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "cpu/conv/conv.h"
#include <string.h>

/* One output pixel through one tap: the channels of a pixel of x times the channels of dy, of one group. */
static void
add_pixel(int in, int out, const float *x, const float *dy, float *dw, size_t dw_row)
{
    for (int k = 0; k < in; k++, dw += dw_row)
        for (int o = 0; o < out; o++)
            dw[o] += x[k] * dy[o];
}

/* One output pixel (i, j): every tap that lies inside the image, every group. */
static void
add_window(const ConvShape *s, int i, int j, const float *x, const float *dy, float *dw)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    const int in = s->channels / s->groups, out = s->out_channels / s->groups;
    for (int a = 0; a < v.kernel; a++)
        for (int c = 0; c < u.kernel; c++) {
            const int row = window_begin(v, i) + a * v.dilation, column = window_begin(u, j) + c * u.dilation;
            if (row < 0 || row >= s->height || column < 0 || column >= s->width)
                continue;
            const float *pixel = x + ((size_t)row * (size_t)s->width + (size_t)column) * (size_t)s->channels;
            float *tap = dw + ((size_t)a * (size_t)u.kernel + (size_t)c) * (size_t)in * (size_t)s->out_channels;
            for (int g = 0; g < s->groups; g++)
                add_pixel(in, out, pixel + g * in, dy + g * out, tap + g * out, (size_t)s->out_channels);
        }
}

void
conv_weight_gradient_direct(const ConvShape *s, const float *x, const float *dy, float *dw)
{
    const size_t image = (size_t)s->height * (size_t)s->width * (size_t)s->channels;
    const size_t taps = (size_t)s->window.vertical.kernel * (size_t)s->window.horizontal.kernel;
    memset(dw, 0, taps * (size_t)(s->channels / s->groups) * (size_t)s->out_channels * sizeof(float));
    for (int b = 0; b < s->batch; b++, x += image)
        for (int i = 0; i < conv_out_height(s); i++)
            for (int j = 0; j < conv_out_width(s); j++, dy += s->out_channels)
                add_window(s, i, j, x, dy, dw);
}
