/* See toeplitz.h. SPDX-License-Identifier: MIT */
#include "cpu/conv/toeplitz.h"
#include "core/array.h"

enum { ELEMENTS_MAX = 1 << 26 }; /* 256 MiB */

/* One tap of output pixel (i, j): for every pair of channels of a group, w's number goes where output and input meet. */
static void
write_tap(Toeplitz *t, const ConvShape *s, int output, int input, const float *w)
{
    const int in = s->channels / s->groups, out = s->out_channels / s->groups;
    for (int o = 0; o < s->out_channels; o++)
        for (int k = 0; k < in; k++) {
            const size_t row = (size_t)output * (size_t)s->out_channels + (size_t)o;
            const size_t column = (size_t)input * (size_t)s->channels + (size_t)(o / out * in + k);
            t->T[row * (size_t)t->columns + column] = w[(size_t)k * (size_t)s->out_channels + (size_t)o];
        }
}

static void
write_rows(Toeplitz *t, const ConvShape *s, int i, int j, const float *w)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    const size_t tap = (size_t)(s->channels / s->groups) * (size_t)s->out_channels;
    for (int a = 0; a < v.kernel; a++)
        for (int c = 0; c < u.kernel; c++, w += tap) {
            const int h = window_begin(v, i) + a * v.dilation, l = window_begin(u, j) + c * u.dilation;
            if (h >= 0 && h < s->height && l >= 0 && l < s->width)
                write_tap(t, s, i * conv_out_width(s) + j, h * s->width + l, w);
        }
}

bool
toeplitz_create(Toeplitz *t, const ConvShape *s, const float *w, Error *error)
{
    const double rows = (double)conv_out_height(s) * conv_out_width(s) * s->out_channels;
    const double columns = (double)s->height * s->width * s->channels;
    *t = (Toeplitz){0};
    if (rows * columns > ELEMENTS_MAX || rows > ELEMENTS_MAX || columns > ELEMENTS_MAX)
        return error_set(
            error, "the Toeplitz matrix has %.0f x %.0f elements, more than %d: take a smaller image, as in 8 x 8",
            rows, columns, ELEMENTS_MAX);
    *t = (Toeplitz){(int)rows, (int)columns, ARRAY(float, (size_t)(rows * columns))};
    for (int i = 0; i < conv_out_height(s); i++)
        for (int j = 0; j < conv_out_width(s); j++)
            write_rows(t, s, i, j, w);
    return true;
}

void
toeplitz_free(Toeplitz *t)
{
    array_free(t->T);
    *t = (Toeplitz){0};
}

void
toeplitz_multiply(const Toeplitz *t, const float *x, const float *bias, int out_channels, float *y)
{
    for (int m = 0; m < t->rows; m++) {
        float sum = bias != NULL ? bias[m % out_channels] : 0.0f;
        for (int n = 0; n < t->columns; n++)
            sum += t->T[(size_t)m * (size_t)t->columns + (size_t)n] * x[n];
        y[m] = sum;
    }
}
