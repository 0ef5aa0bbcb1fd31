/* Convolution in double: plain loops whose innermost one the compiler turns into vectors. SPDX-License-Identifier: MIT */
#include "cpu/conv/ladder_gradients.h"
#include <string.h>

/* One pixel of y: y[o] += x[k] w[k][o] for every tap inside the image. */
static void
reference_pixel(const ConvShape *s, const float *x, const float *w, int i, int j, double *y)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    const size_t O = (size_t)s->out_channels, C = (size_t)s->channels;
    memset(y, 0, sizeof(double) * O);
    for (int a = 0; a < v.kernel; a++)
        for (int c = 0; c < u.kernel; c++) {
            const int h = window_begin(v, i) + a * v.dilation, l = window_begin(u, j) + c * u.dilation;
            if (h < 0 || h >= s->height || l < 0 || l >= s->width)
                continue;
            const float *pixel = x + ((size_t)h * (size_t)s->width + (size_t)l) * C;
            const float *row = w + ((size_t)a * (size_t)u.kernel + (size_t)c) * C * O;
            for (size_t k = 0; k < C; k++, row += O)
                for (size_t o = 0; o < O; o++)
                    y[o] += (double)pixel[k] * (double)row[o];
        }
}

void
conv_reference(const ConvShape *s, const float *x, const float *w, double *y)
{
    const int height = conv_out_height(s), width = conv_out_width(s);
    const size_t image = (size_t)s->height * (size_t)s->width * (size_t)s->channels, O = (size_t)s->out_channels;
#pragma omp parallel for collapse(2)
    for (int b = 0; b < s->batch; b++)
        for (int i = 0; i < height; i++)
            for (int j = 0; j < width; j++)
                reference_pixel(s, x + (size_t)b * image, w, i, j,
                                y + (((size_t)b * (size_t)height + (size_t)i) * (size_t)width + (size_t)j) * O);
}
