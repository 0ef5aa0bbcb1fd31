/* conv_input_gradient, rung 1: direct.
 * Idea      the forward loops as they stand: y[p][o] += x[q][k] w[a][c][k][o] says that dy[p][o] w[a][c][k][o] belongs to dx[q][k].
 * Cost      as many multiplications as forward.
 * But       a sum over o is a chain of dependent additions (latency-bound); dx is read and written once for each tap.
 * Wants     nothing: groups, dilation, stride and padding as they come.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "cpu/conv/conv.h"
#include <string.h>

/* One output pixel through one tap: to dx[k], k a channel of the group, goes the product of dy's channels of the group and row k
 * of the tap's weights. */
static void
add_pixel(int in, int out, const float *dy, const float *w, size_t w_row, float *dx)
{
    for (int k = 0; k < in; k++, w += w_row) {
        float sum = 0.0f;
        for (int o = 0; o < out; o++)
            sum += dy[o] * w[o];
        dx[k] += sum;
    }
}

/* One output pixel (i, j): every tap that lies inside the image, every group. */
static void
add_window(const ConvShape *s, int i, int j, const float *dy, const float *w, float *dx)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    const int in = s->channels / s->groups, out = s->out_channels / s->groups;
    for (int a = 0; a < v.kernel; a++)
        for (int c = 0; c < u.kernel; c++) {
            const int row = window_begin(v, i) + a * v.dilation, column = window_begin(u, j) + c * u.dilation;
            if (row < 0 || row >= s->height || column < 0 || column >= s->width)
                continue;
            float *pixel = dx + ((size_t)row * (size_t)s->width + (size_t)column) * (size_t)s->channels;
            const float *tap = w + ((size_t)a * (size_t)u.kernel + (size_t)c) * (size_t)in * (size_t)s->out_channels;
            for (int g = 0; g < s->groups; g++)
                add_pixel(in, out, dy + g * out, tap + g * out, (size_t)s->out_channels, pixel + g * in);
        }
}

void
conv_input_gradient_direct(const ConvShape *s, const float *dy, const float *w, float *dx)
{
    const size_t image = (size_t)s->height * (size_t)s->width * (size_t)s->channels;
    for (int b = 0; b < s->batch; b++, dx += image) {
        memset(dx, 0, image * sizeof(float));
        for (int i = 0; i < conv_out_height(s); i++)
            for (int j = 0; j < conv_out_width(s); j++, dy += s->out_channels)
                add_window(s, i, j, dy, w, dx);
    }
}
