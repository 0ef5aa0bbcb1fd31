/* average pooling, rung 2: vector. As max pooling's (02_vector.c): all channels of a pixel together, gradients are gathered,
 * threads share the rows of images.
 * Wants     nothing. The global average of one image is one row, and so one thread's.
 * SPDX-License-Identifier: MIT */
#include "core/vector.h"
#include "cpu/chunks.h"
#include "cpu/pool/pool.h"
#include "cpu/pool/taps.h"

/* `vectors` vectors of channels of one output, from image and y on; the last may have fewer lanes. Inlined, so that `vectors` is a
 * constant and sum is registers. */
static inline __attribute__((always_inline)) void
window_mean(int vectors, int lanes, const PoolShape *s, Taps down, Taps along, const float *image, float *y)
{
    enum { L = VECTOR_LANES };
    const size_t C = (size_t)s->channels;
    const float share = pool_share(down, along);
    Vector sum[4] = {{0}};
    for (int h = down.first; h < down.end; h += down.step) {
        const float *from = image + ((size_t)h * (size_t)s->width + (size_t)along.first) * C;
        for (int w = 0; w < along.count; w++, from += (size_t)along.step * C)
            for (int k = 0; k < vectors; k++)
                sum[k] += vectors > 1 ? vector_load(from + k * L) : vector_load_first(from, lanes);
    }
    for (int k = 0; k < vectors; k++)
        vector_store_first(y + k * L, sum[k] * share, lanes - k * L);
}

/* Row i of the outputs of one image, from y on. */
static void
mean_row(const PoolShape *s, int i, const float *image, float *y)
{
    const Taps down = taps_down(s, i);
    const size_t share = taps_share(s);
    for (int j = 0; j < s->out_width; j++, y += s->channels) {
        const Taps along = taps_along(s, j);
        int c = 0;
        taps_prefetch(s, i, j, share, image);
        for (; c + 4 * VECTOR_LANES <= s->channels; c += 4 * VECTOR_LANES)
            window_mean(4, 4 * VECTOR_LANES, s, down, along, image + c, y + c);
        for (; c < s->channels; c += VECTOR_LANES)
            window_mean(1, s->channels - c, s, down, along, image + c, y + c);
    }
}

void
average_pool_forward_vector(const PoolShape *s, const float *x, float *y)
{
    const int rows = s->batch * s->out_height;
    const size_t size = (size_t)s->out_width * (size_t)s->channels;
#pragma omp parallel for schedule(static) if (pool_image(s, s->batch) >= CHUNKS_MIN)
    for (int row = 0; row < rows; row++)
        mean_row(s, row % s->out_height, x + pool_image(s, row / s->out_height), y + (size_t)row * size);
}

/* True if a window, whose first tap is not behind the pixel and whose last is not before it, has a tap on it. */
static bool
has_tap(WindowAxis axis, int output, int pixel)
{
    return axis.dilation == 1 || (pixel - window_begin(axis, output)) % axis.dilation == 0;
}

/* Some channels of one pixel (h, w) of dx, as in window_mean. rows, columns: the windows that may hold it. */
static inline __attribute__((always_inline)) void
pixel_shares(int vectors, int lanes, bool streamed, const PoolShape *s, Outputs rows, Outputs columns, int h, int w,
             const float *dy, float *dx)
{
    enum { L = VECTOR_LANES };
    Vector sum[4] = {{0}};
    for (int i = rows.first; i < rows.end; i++)
        for (int j = columns.first; j < columns.end; j++) {
            if (!has_tap(s->window.vertical, i, h) || !has_tap(s->window.horizontal, j, w))
                continue;
            const float share = 1.0F / ((float)taps_counted(s->window.vertical, i, s->height) *
                                        (float)taps_counted(s->window.horizontal, j, s->width));
            const float *from = dy + ((size_t)i * (size_t)s->out_width + (size_t)j) * (size_t)s->channels;
            for (int k = 0; k < vectors; k++)
                sum[k] += share * (vectors > 1 ? vector_load(from + k * L) : vector_load_first(from, lanes));
        }
    for (int k = 0; k < vectors; k++) {
        if (!streamed)
            __builtin_prefetch(dx + k * L + AHEAD, 1);
        gradient_store(streamed, dx + k * L, sum[k], lanes - k * L);
    }
}

/* One row of pixels. dy and dx belong to its image. */
static void
average_gradient_row(bool streamed, const PoolShape *s, const Outputs *along, int h, const float *dy, float *dx)
{
    const Outputs rows = outputs_of(s->window.vertical, h, s->out_height);
    dx += (size_t)h * (size_t)s->width * (size_t)s->channels;
    for (int w = 0; w < s->width; w++, dx += s->channels) {
        int c = 0;
        for (; c + 4 * VECTOR_LANES <= s->channels; c += 4 * VECTOR_LANES)
            pixel_shares(4, 4 * VECTOR_LANES, streamed, s, rows, along[w], h, w, dy + c, dx + c);
        for (; c + VECTOR_LANES <= s->channels; c += VECTOR_LANES)
            pixel_shares(1, VECTOR_LANES, streamed, s, rows, along[w], h, w, dy + c, dx + c);
        if (c < s->channels)
            pixel_shares(1, s->channels - c, streamed, s, rows, along[w], h, w, dy + c, dx + c);
    }
    if (streamed)
        stream_end();
}

void
average_pool_backward_vector(const PoolShape *s, const float *dy, float *dx)
{
    const int rows = s->batch * s->height;
    const size_t outputs = (size_t)s->out_height * (size_t)s->out_width * (size_t)s->channels;
    const Outputs *along = outputs_along(s);
    const bool streamed = gradient_streams(s, dx);
#pragma omp parallel for schedule(static) if (pool_image(s, s->batch) >= CHUNKS_MIN)
    for (int row = 0; row < rows; row++)
        average_gradient_row(streamed, s, along, row % s->height, dy + (size_t)(row / s->height) * outputs,
                             dx + pool_image(s, row / s->height));
}
