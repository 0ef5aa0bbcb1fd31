/* The gradients of convolution in double: plain loops whose innermost one the compiler turns into vectors.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "cpu/conv/ladder_gradients.h"
#include <string.h>

enum { ROWS = 16 }; /* of dw: they stay in cache while all pixels pass */

/* Tap t of `at` pixels: which output sees pixel `at` through it, or -1. */
static int
output_of(WindowAxis axis, int tap, int at, int outputs)
{
    const int begin = at + axis.padding - tap * axis.dilation;
    return begin >= 0 && begin % axis.stride == 0 && begin / axis.stride < outputs ? begin / axis.stride : -1;
}

/* transposed[a][c][o][k] = w[a][c][k][o], o of all groups. */
static double *
transpose_weights(const ConvShape *s, const float *w)
{
    const size_t in = (size_t)(s->channels / s->groups), out = (size_t)s->out_channels;
    const size_t taps = (size_t)s->window.vertical.kernel * (size_t)s->window.horizontal.kernel;
    double *transposed = ARRAY(double, taps *in *out);
    for (size_t t = 0; t < taps; t++)
        for (size_t k = 0; k < in; k++)
            for (size_t o = 0; o < out; o++)
                transposed[(t * out + o) * in + k] = (double)w[(t * in + k) * out + o];
    return transposed;
}

/* The contribution of one pixel of dy to one pixel of dx, through one tap. */
static void
add_pixel(const ConvShape *s, const float *dy, const double *transposed, double *dx)
{
    const int in = s->channels / s->groups, out = s->out_channels / s->groups;
    for (int o = 0; o < s->out_channels; o++) {
        double *const to = dx + (size_t)(o / out) * (size_t)in;
        const double *const row = transposed + (size_t)o * (size_t)in, factor = (double)dy[o];
        for (int k = 0; k < in; k++)
            to[k] += factor * row[k];
    }
}

static void
input_gradient_line(const ConvShape *s, int b, int h, const float *dy, const double *transposed, double *dx)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    const int OH = conv_out_height(s), OW = conv_out_width(s);
    const size_t tap = (size_t)(s->channels / s->groups) * (size_t)s->out_channels;
    for (int at = 0; at < s->width; at++, dx += s->channels)
        for (int a = 0; a < v.kernel; a++)
            for (int c = 0; c < u.kernel; c++) {
                const int i = output_of(v, a, h, OH), j = output_of(u, c, at, OW);
                if (i >= 0 && j >= 0)
                    add_pixel(s,
                              dy + (((size_t)b * (size_t)OH + (size_t)i) * (size_t)OW + (size_t)j) *
                                       (size_t)s->out_channels,
                              transposed + (size_t)(a * u.kernel + c) * tap, dx);
            }
}

void
conv_input_gradient_reference(const ConvShape *s, const float *dy, const float *w, double *dx)
{
    double *transposed = transpose_weights(s, w);
    const size_t line = (size_t)s->width * (size_t)s->channels;
    memset(dx, 0, (size_t)s->batch * (size_t)s->height * line * sizeof(double));
#pragma omp parallel for schedule(dynamic)
    for (int l = 0; l < s->batch * s->height; l++)
        input_gradient_line(s, l / s->height, l % s->height, dy, transposed, dx + (size_t)l * line);
    array_free(transposed);
}

/* Rows first .. first + rows - 1 of a tap of dw: channels of a group of x. */
static void
weight_gradient_rows(const ConvShape *s, int tap, int first, int rows, const float *x, const float *dy, double *dw)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    const int in = s->channels / s->groups, out = s->out_channels / s->groups, OC = s->out_channels;
    const int OH = conv_out_height(s), OW = conv_out_width(s);
    const int down = tap / u.kernel * v.dilation, right = tap % u.kernel * u.dilation;
    for (int l = 0; l < s->batch * OH; l++)
        for (int j = 0; j < OW; j++, dy += OC) {
            const int row = window_begin(v, l % OH) + down, column = window_begin(u, j) + right;
            if (row < 0 || row >= s->height || column < 0 || column >= s->width)
                continue;
            const size_t line = (size_t)(l / OH) * (size_t)s->height + (size_t)row;
            const float *pixel = x + (line * (size_t)s->width + (size_t)column) * (size_t)s->channels + first;
            for (int k = 0; k < rows; k++)
                for (int g = 0; g < s->groups; g++) {
                    const double factor = (double)pixel[g * in + k];
                    for (int o = g * out; o < (g + 1) * out; o++)
                        dw[(size_t)k * (size_t)OC + (size_t)o] += factor * (double)dy[o];
                }
        }
}

void
conv_weight_gradient_reference(const ConvShape *s, const float *x, const float *dy, double *dw)
{
    const int in = s->channels / s->groups, blocks = (in + ROWS - 1) / ROWS;
    const int taps = s->window.vertical.kernel * s->window.horizontal.kernel;
    memset(dw, 0, (size_t)taps * (size_t)in * (size_t)s->out_channels * sizeof(double));
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < taps * blocks; i++) {
        const int tap = i / blocks, first = i % blocks * ROWS, rows = in - first < ROWS ? in - first : ROWS;
        weight_gradient_rows(s, tap, first, rows, x, dy,
                             dw + ((size_t)tap * (size_t)in + (size_t)first) * (size_t)s->out_channels);
    }
}
