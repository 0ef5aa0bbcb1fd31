/* Convolution by its definition, in double. SPDX-License-Identifier: MIT */
#ifndef TESTS_CPU_CONV_DEFINITION_H
#define TESTS_CPU_CONV_DEFINITION_H

#include "cpu/conv/conv.h"

/* The formula of cpu/conv/conv.h, as it stands there. */
static inline double
conv_definition(const ConvShape *s, const float *x, const float *w, int b, int i, int j, int o)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    const int in = s->channels / s->groups, group = o / (s->out_channels / s->groups);
    double sum = 0.0;
    for (int a = 0; a < v.kernel; a++)
        for (int e = 0; e < u.kernel; e++)
            for (int k = 0; k < in; k++) {
                const int h = i * v.stride - v.padding + a * v.dilation, l = j * u.stride - u.padding + e * u.dilation;
                if (h < 0 || h >= s->height || l < 0 || l >= s->width)
                    continue;
                const size_t at_x = (((size_t)b * s->height + h) * s->width + l) * s->channels + group * in + k;
                const size_t at_w = (((size_t)a * u.kernel + e) * in + k) * s->out_channels + o;
                sum += (double)x[at_x] * (double)w[at_w];
            }
    return sum;
}

#endif
