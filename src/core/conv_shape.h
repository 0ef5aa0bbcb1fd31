/* The shape of a convolution: what kernels (cpu/conv/conv.h has the formula) and networks (nn/backend.h) both have to know.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_CONV_SHAPE_H
#define CORE_CONV_SHAPE_H

#include "core/sliding_window.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct ConvShape {
    int batch, height, width, channels, out_channels;
    int groups; /* >= 1, divides channels and out_channels */
    Window window;
} ConvShape;

HOST_DEVICE int
conv_out_height(const ConvShape *s)
{
    return window_outputs(s->window.vertical, s->height);
}

HOST_DEVICE int
conv_out_width(const ConvShape *s)
{
    return window_outputs(s->window.horizontal, s->width);
}

#endif
