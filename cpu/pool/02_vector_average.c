/* average pooling, rung 2: vector. As max pooling's (02_vector.c): all channels of a pixel go together, gradients are gathered,
 * threads share the rows of images.
 * Wants     nothing. The global average of one image is one row, and so one thread's.
 * SPDX-License-Identifier: MIT */
#include "cpu/chunks.h"
#include "cpu/pool/pool.h"
#include "cpu/pool/taps.h"
#include <string.h>

static void
add_pixel(size_t C, const float *restrict x, float *restrict y)
{
    for (size_t c = 0; c < C; c++)
        y[c] += x[c];
}

/* y += share x */
static void
add_share(size_t C, float share, const float *restrict x, float *restrict y)
{
    for (size_t c = 0; c < C; c++)
        y[c] += share * x[c];
}

/* One output. */
static void
window_mean(const PoolShape *s, Taps down, Taps along, const float *image, float *y)
{
    const size_t C = (size_t)s->channels;
    const float share = pool_share(down, along);
    memset(y, 0, C * sizeof *y);
    for (int h = down.first; h < down.end; h += down.step)
        for (int w = along.first; w < along.end; w += along.step)
            add_pixel(C, image + ((size_t)h * (size_t)s->width + (size_t)w) * C, y);
    for (size_t c = 0; c < C; c++)
        y[c] *= share;
}

void
average_pool_forward_vector(const PoolShape *s, const float *x, float *y)
{
    const int rows = s->batch * s->out_height;
    const size_t row_size = (size_t)s->out_width * (size_t)s->channels;
#pragma omp parallel for schedule(static) if (pool_image(s, s->batch) >= CHUNKS_MIN)
    for (int row = 0; row < rows; row++) {
        const Taps down = taps_down(s, row % s->out_height);
        for (int j = 0; j < s->out_width; j++)
            window_mean(s, down, taps_along(s, j), x + pool_image(s, row / s->out_height),
                        y + (size_t)row * row_size + (size_t)j * (size_t)s->channels);
    }
}

/* True if a window, whose first tap is not behind the pixel and whose last is not before it, has a tap on it. */
static bool
has_tap(WindowAxis axis, int output, int pixel)
{
    return axis.dilation == 1 || (pixel - window_begin(axis, output)) % axis.dilation == 0;
}

/* One row of pixels. dy and dx belong to its image. */
static void
average_gradient_row(const PoolShape *s, int h, const float *dy, float *dx)
{
    const size_t C = (size_t)s->channels;
    const Outputs rows = outputs_of(s->window.vertical, h, s->out_height);
    dx += (size_t)h * (size_t)s->width * C;
    memset(dx, 0, (size_t)s->width * C * sizeof *dx);
    for (int i = rows.first; i < rows.end; i++)
        for (int j = 0; j < s->out_width && has_tap(s->window.vertical, i, h); j++) {
            const float *from = dy + ((size_t)i * (size_t)s->out_width + (size_t)j) * C;
            const Taps along = taps_along(s, j);
            const float share = pool_share(taps_down(s, i), along);
            for (int w = along.first; w < along.end; w += along.step)
                add_share(C, share, from, dx + (size_t)w * C);
        }
}

void
average_pool_backward_vector(const PoolShape *s, const float *dy, float *dx)
{
    const int rows = s->batch * s->height;
    const size_t outputs = (size_t)s->out_height * (size_t)s->out_width * (size_t)s->channels;
#pragma omp parallel for schedule(static) if (pool_image(s, s->batch) >= CHUNKS_MIN)
    for (int row = 0; row < rows; row++)
        average_gradient_row(s, row % s->height, dy + (size_t)(row / s->height) * outputs,
                             dx + pool_image(s, row / s->height));
}
