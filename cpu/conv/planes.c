/* See planes.h. SPDX-License-Identifier: MIT */
#include "cpu/conv/planes.h"
#include "cpu/conv/conv.h"
#include "cpu/conv/padded.h"
#include "cpu/conv/patches.h"
#include "cpu/partition.h"
#include <string.h>

enum { CHANNELS_MAX = 32 };

bool
conv_planes_accepts(const ConvShape *s)
{
    return s->groups == 1 && s->out_channels <= PLANES_OUT_MAX && s->window.horizontal.stride == 1 &&
           conv_padded_accepts(s);
}

/* Multiply-adds of vectors for each tap and row of y: vectorised over pixels, plus half of that for transposing the sums;
 * vectorised over out channels, `width`. With many channels the memory of planes and sums decides. */
bool
conv_planes_pay(const ConvShape *s)
{
    if (!conv_planes_accepts(s) || s->window.horizontal.kernel == 1 || s->channels > CHANNELS_MAX)
        return false;
    const int width = conv_out_width(s);
    const int vectors = PLANES_VECTORS * ceil_div(width, PLANES_PIXELS) * s->out_channels;
    return vectors + vectors / 2 <= width;
}

static Planes
planes_of(const ConvShape *s)
{
    const ConvShape padded = conv_padded_shape(s);
    const size_t row = (size_t)padded.width, plane = row * (size_t)padded.height;
    return (Planes){NULL, row, plane, plane * (size_t)padded.channels};
}

size_t
conv_planes_size(const ConvShape *s)
{
    return (size_t)s->batch * planes_of(s).image + PLANES_PIXELS;
}

/* Channel c of a row of x, between its padding. In vectors: short runs are no work for memset() and memcpy(). */
static void
write_row(const ConvShape *s, const float *from, int c, int row, float *to)
{
    const int padding = s->window.horizontal.padding, width = from != NULL ? s->width : 0;
    for (int j = 0; j < row; j += VECTOR_LANES)
        vector_store_first(to + j, (Vector){0}, row - j);
    if (s->channels == 1)
        for (int w = 0; w < width; w += VECTOR_LANES)
            vector_store_first(to + padding + w, vector_load_first(from + w, width - w), width - w);
    else
        for (int w = 0; w < width; w++)
            to[padding + w] = from[(size_t)w * (size_t)s->channels + (size_t)c];
}

Planes
conv_write_planes(const ConvShape *s, const float *x, float *memory, int threads)
{
    const int height = conv_padded_shape(s).height, rows = s->batch * height;
    Planes p = planes_of(s);
    p.x = memory;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int row = 0; row < rows; row++) {
        const float *from = conv_input_pixel(s, x, row / height, row % height - s->window.vertical.padding, 0);
        float *to = memory + (size_t)(row / height) * p.image + (size_t)(row % height) * p.row;
        for (int c = 0; c < s->channels; c++, to += p.plane)
            write_row(s, from, c, (int)p.row, to);
    }
    memset(memory + (size_t)s->batch * p.image, 0, PLANES_PIXELS * sizeof *memory);
    (void)threads;
    return p;
}
