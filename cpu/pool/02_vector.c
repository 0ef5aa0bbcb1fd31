/* max pooling, rung 2: vector.
 * Idea      the channels of a pixel lie side by side: vectors hold the maxima of many channels, others their winners, and all
 *           stay in registers while the window's pixels pass. Threads share the rows of images.
 *           Backwards, the question is turned round: not where does this dy go, but who adds to this row of dx?
 *
 *               scatter by window   a row of dx belongs to windows of several rows, and so perhaps to several threads
 *               by row of dx        clear it; for each row of windows that reaches it, add the dy that were won here
 *
 * Before    one channel at a time, a cache line loaded for each four bytes.
 * Now       each input is read from memory once and each output written once; windows that overlap meet in the cache.
 *           The winners must not be chosen by a loop over y[c] and winner[c] in memory: the compiler makes masked stores of it, and
 *           on an AMD EPYC of the Zen 5 kind these made the whole take 2.3 times as long.
 * Wants     nothing. Channels beyond a multiple of 4 vectors go one vector at a time, the last of them with idle lanes.
 * SPDX-License-Identifier: MIT */
#include "core/vector.h"
#include "cpu/chunks.h"
#include "cpu/pool/pool.h"
#include "cpu/pool/taps.h"
#include <math.h>
#include <string.h>

/* a where the mask is -1, b where it is 0. */
static VectorMask
select_lanes(VectorMask mask, VectorMask a, VectorMask b)
{
    return (mask & a) | (~mask & b);
}

/* `vectors` vectors of channels of one output, from image, y and winner on; the last may have fewer lanes. Inlined, so that
 * `vectors` is a constant and max and at are registers. */
static inline __attribute__((always_inline)) void
window_max(int vectors, int lanes, const PoolShape *s, Taps down, Taps along, const float *image, float *y,
           int32_t *winner)
{
    enum { L = VECTOR_LANES };
    Vector max[4];
    VectorMask at[4];
    const bool empty = down.first >= down.end || along.first >= along.end;
    const int first = empty ? -1 : down.first * s->width + along.first;
    for (int k = 0; k < vectors; k++) {
        const float *from = image + (size_t)(empty ? 0 : first) * (size_t)s->channels + k * L;
        max[k] = empty ? vector_splat(-INFINITY) : vector_load_first(from, lanes - k * L);
        at[k] = (VectorMask){0} + first;
    }
    for (int h = down.first; h < down.end; h += down.step)
        for (int w = along.first; w < along.end; w += along.step) {
            const int pixel = h * s->width + w;
            const float *from = image + (size_t)pixel * (size_t)s->channels;
            for (int k = 0; k < vectors; k++) {
                const Vector x = vectors > 1 ? vector_load(from + k * L) : vector_load_first(from, lanes);
                const VectorMask better = ~(x <= max[k]) & (max[k] == max[k]); /* pool_is_better */
                max[k] = (Vector)select_lanes(better, (VectorMask)x, (VectorMask)max[k]);
                at[k] = select_lanes(better, (VectorMask){0} + pixel, at[k]);
            }
        }
    void *whole = winner; /* a vector is stored the same way, whatever is in it */
    for (int k = 0; k < vectors; k++) {
        vector_store_first(y + k * L, max[k], lanes - k * L);
        vector_store_first((float *)whole + k * L, (Vector)at[k], lanes - k * L);
    }
}

static void
window_max_all(const PoolShape *s, Taps down, Taps along, const float *image, float *y, int32_t *winner)
{
    int c = 0;
    for (; c + 4 * VECTOR_LANES <= s->channels; c += 4 * VECTOR_LANES)
        window_max(4, 4 * VECTOR_LANES, s, down, along, image + c, y + c, winner + c);
    for (; c < s->channels; c += VECTOR_LANES)
        window_max(1, s->channels - c, s, down, along, image + c, y + c, winner + c);
}

/* Where nobody asks who won, a loop over memory does as well. */
static void
window_max_alone(const PoolShape *s, Taps down, Taps along, const float *image, float *restrict y)
{
    const size_t C = (size_t)s->channels;
    bool first = true;
    for (int h = down.first; h < down.end; h += down.step)
        for (int w = along.first; w < along.end; w += along.step, first = false) {
            const float *restrict x = image + ((size_t)h * (size_t)s->width + (size_t)w) * C;
            for (size_t c = 0; c < C; c++)
                y[c] = first || pool_is_better(x[c], y[c]) ? x[c] : y[c];
        }
    for (size_t c = 0; first && c < C; c++)
        y[c] = -INFINITY;
}

static void
max_row(const PoolShape *s, int b, int i, const float *x, float *y, int32_t *winner)
{
    const Taps down = taps_down(s, i);
    size_t n = ((size_t)b * (size_t)s->out_height + (size_t)i) * (size_t)s->out_width * (size_t)s->channels;
    for (int j = 0; j < s->out_width; j++, n += (size_t)s->channels)
        if (winner != NULL)
            window_max_all(s, down, taps_along(s, j), x + pool_image(s, b), y + n, winner + n);
        else
            window_max_alone(s, down, taps_along(s, j), x + pool_image(s, b), y + n);
}

void
max_pool_forward_vector(const PoolShape *s, const float *x, float *y, int32_t *winner)
{
    const int rows = s->batch * s->out_height;
#pragma omp parallel for schedule(static) if (pool_image(s, s->batch) >= CHUNKS_MIN)
    for (int row = 0; row < rows; row++)
        max_row(s, row / s->out_height, row % s->out_height, x, y, winner);
}

/* What one window gives to a pixel. */
static void
take_wins(size_t C, const float *restrict dy, const int32_t *restrict winner, int32_t pixel, float *restrict dx)
{
    for (size_t c = 0; c < C; c++)
        dx[c] += winner[c] == pixel ? dy[c] : 0;
}

/* One row of pixels. dy, winner, dx belong to its image. */
static void
max_gradient_row(const PoolShape *s, int h, const float *dy, const int32_t *winner, float *dx)
{
    const size_t C = (size_t)s->channels;
    const Outputs rows = outputs_of(s->window.vertical, h, s->out_height);
    dx += (size_t)h * (size_t)s->width * C;
    memset(dx, 0, (size_t)s->width * C * sizeof *dx);
    for (int i = rows.first; i < rows.end; i++)
        for (int j = 0; j < s->out_width; j++) {
            const size_t o = ((size_t)i * (size_t)s->out_width + (size_t)j) * C;
            const Taps along = taps_along(s, j);
            for (int w = along.first; w < along.end; w += along.step)
                take_wins(C, dy + o, winner + o, h * s->width + w, dx + (size_t)w * C);
        }
}

/* Too few channels to fill a vector: each dy straight to its winner, an image at a time. */
static void
scatter_wins(const PoolShape *s, size_t outputs, const float *dy, const int32_t *winner, float *dx)
{
    PoolShape image = *s;
    image.batch = 1;
#pragma omp parallel for schedule(static) if (pool_image(s, s->batch) >= CHUNKS_MIN)
    for (int b = 0; b < s->batch; b++)
        max_pool_backward_naive(&image, dy + (size_t)b * outputs, winner + (size_t)b * outputs, dx + pool_image(s, b));
}

void
max_pool_backward_vector(const PoolShape *s, const float *dy, const int32_t *winner, float *dx)
{
    const int rows = s->batch * s->height;
    const size_t outputs = (size_t)s->out_height * (size_t)s->out_width * (size_t)s->channels;
    if (s->channels < VECTOR_LANES) {
        scatter_wins(s, outputs, dy, winner, dx);
        return;
    }
#pragma omp parallel for schedule(static) if (pool_image(s, s->batch) >= CHUNKS_MIN)
    for (int row = 0; row < rows; row++) {
        const int b = row / s->height;
        max_gradient_row(s, row % s->height, dy + (size_t)b * outputs, winner + (size_t)b * outputs,
                         dx + pool_image(s, b));
    }
}
