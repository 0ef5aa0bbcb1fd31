/* max pooling, rung 2: vector.
 * Idea      the channels of a pixel are contiguous: vectors hold the maxima of many channels, others their winners, and all
 *           stay in registers while the window's pixels pass. Threads share the rows of images.
 *           Backwards, gather instead of scatter:
 *
 *               scatter by window   a row of dx belongs to windows of several rows, and so perhaps to several threads
 *               gather by pixel     the windows that may hold it are few; their sum stays in registers and is stored once
 *
 * Before    one channel at a time, a cache line loaded for each four bytes.
 * Now       each input is read from memory once and each output written once; windows that overlap meet in the cache. The next
 *           row of pixels is prefetched (taps_prefetch): without that, each row began with cache misses. Comparing so that NaN
 *           wins makes a chain of three dependent instructions from pixel to pixel, whose latency exceeded the memory time. So
 *           a row is first done without; a row of outputs in which there was a NaN, as the sum of all inputs shows, is repeated
 *           with it. Windows of 2 x 2, the usual ones, are a case of their own, without loops: with few channels these took
 *           most of the time. And where windows neither overlap nor have gaps, each pixel of dx belongs to one: it gets that
 *           window's dy, or 0. A dx larger than the last-level cache is written with non-temporal stores (core/nontemporal.h).
 * Wants     nothing. Channels beyond a multiple of 4 vectors go one vector at a time, the last of them with idle lanes.
 * SPDX-License-Identifier: MIT */
#include "core/vector.h"
#include "cpu/chunks.h"
#include "cpu/pool/pool.h"
#include "cpu/pool/taps.h"
#include <math.h>

/* a where the mask is -1, b where it is 0. */
static VectorMask
select_lanes(VectorMask mask, VectorMask a, VectorMask b)
{
    return (mask & a) | (~mask & b);
}

/* Which of the variants computes a row of outputs. */
typedef struct Search {
    bool ask; /* for the winners */
    /* The first NaN wins, as in pool_is_better: a chain of three dependent instructions instead of one. */
    bool careful;
} Search;

/* `vectors` vectors of channels of one output, from image, y and winner on; the last may have fewer lanes. Inlined, so that
 * `vectors` and `how` are constants and max and at are registers. Returns the sum of all inputs. */
static inline __attribute__((always_inline)) Vector
window_max(int vectors, Search how, int lanes, const PoolShape *s, Taps down, Taps along, const float *image, float *y,
           int32_t *winner)
{
    enum { L = VECTOR_LANES };
    const size_t C = (size_t)s->channels, next = (size_t)along.step * C;
    const int next_row = down.step * s->width;
    const bool empty = down.count <= 0 || along.count <= 0;
    int first = empty ? -1 : down.first * s->width + along.first;
    Vector max[4], seen[4] = {{0}};
    VectorMask at[4];
    for (int k = 0; k < vectors; k++) {
        max[k] = empty ? vector_splat(-INFINITY) : vector_load_first(image + (size_t)first * C + k * L, lanes - k * L);
        at[k] = (VectorMask){0} + first;
    }
    for (int h = 0; h < down.count; h++, first += next_row) {
        const float *from = image + (size_t)(empty ? 0 : first) * C;
        int pixel = first;
        for (int w = 0; w < along.count; w++, from += next, pixel += along.step)
            for (int k = 0; k < vectors; k++) {
                const Vector x = vectors > 1 ? vector_load(from + k * L) : vector_load_first(from, lanes);
                const VectorMask better = how.careful ? ~(x <= max[k]) & (max[k] == max[k]) : x > max[k];
                if (how.ask)
                    at[k] = select_lanes(better, (VectorMask){0} + pixel, at[k]);
                max[k] = how.careful ? (Vector)select_lanes(better, (VectorMask)x, (VectorMask)max[k])
                                     : vector_larger(max[k], x);
                seen[k] += x;
            }
    }
    void *whole = winner; /* a vector of ints is stored by the same instruction */
    for (int k = 0; k < vectors; k++) {
        vector_store_first(y + k * L, max[k], lanes - k * L);
        if (how.ask)
            vector_store_first((float *)whole + k * L, (Vector)at[k], lanes - k * L);
    }
    return (seen[0] + seen[1]) + (seen[2] + seen[3]);
}

/* All channels of one output. */
static inline __attribute__((always_inline)) Vector
search_window(Search how, const PoolShape *s, Taps down, Taps along, const float *image, float *y, int32_t *winner)
{
    Vector seen = {0};
    int c = 0;
    for (; c + 4 * VECTOR_LANES <= s->channels; c += 4 * VECTOR_LANES)
        seen += window_max(4, how, 4 * VECTOR_LANES, s, down, along, image + c, y + c, how.ask ? winner + c : NULL);
    for (; c < s->channels; c += VECTOR_LANES)
        seen += window_max(1, how, s->channels - c, s, down, along, image + c, y + c, how.ask ? winner + c : NULL);
    return seen;
}

/* Pixels first and first + 1. */
static inline Taps
two_taps(int first)
{
    return (Taps){.first = first, .step = 1, .count = 2};
}

/* Row i of the outputs of one image, from y and winner on. Returns the sum of all inputs: if it is not NaN, none of them was
 * NaN. */
static inline __attribute__((always_inline)) float
search_row(Search how, const PoolShape *s, int i, const float *image, float *y, int32_t *winner)
{
    const Taps down = taps_down(s, i);
    const size_t share = taps_share(s);
    Vector seen = {0};
    for (int j = 0; j < s->out_width; j++, y += s->channels, winner += how.ask ? s->channels : 0) {
        const Taps along = taps_along(s, j);
        taps_prefetch(s, i, j, share, image);
        if (down.count == 2 && along.count == 2 && down.step == 1 && along.step == 1)
            seen += search_window(how, s, two_taps(down.first), two_taps(along.first), image, y, winner);
        else
            seen += search_window(how, s, down, along, image, y, winner);
    }
    return vector_sum(seen);
}

static float
max_row(bool careful, const PoolShape *s, int i, const float *image, float *y, int32_t *winner)
{
    if (careful)
        return winner != NULL ? search_row((Search){true, true}, s, i, image, y, winner)
                              : search_row((Search){false, true}, s, i, image, y, NULL);
    return winner != NULL ? search_row((Search){true, false}, s, i, image, y, winner)
                          : search_row((Search){false, false}, s, i, image, y, NULL);
}

void
max_pool_forward_vector(const PoolShape *s, const float *x, float *y, int32_t *winner)
{
    const int rows = s->batch * s->out_height;
    const size_t size = (size_t)s->out_width * (size_t)s->channels;
#pragma omp parallel for schedule(static) if (pool_image(s, s->batch) >= CHUNKS_MIN)
    for (int row = 0; row < rows; row++) {
        const float *image = x + pool_image(s, row / s->out_height);
        float *to = y + (size_t)row * size;
        int32_t *whose = winner != NULL ? winner + (size_t)row * size : NULL;
        const int i = row % s->out_height;
        if (isnan(max_row(false, s, i, image, to, whose)))
            max_row(true, s, i, image, to, whose);
    }
}

/* Some channels of one pixel of dx, as in window_max: the sum of what it won. rows, columns: the windows that may hold it. */
static inline __attribute__((always_inline)) void
pixel_wins(int vectors, int lanes, bool streamed, const PoolShape *s, Outputs rows, Outputs columns, int pixel,
           const float *dy, const int32_t *winner, float *dx)
{
    enum { L = VECTOR_LANES };
    const void *whole = winner;
    Vector sum[4] = {{0}};
    for (int i = rows.first; i < rows.end; i++)
        for (int j = columns.first; j < columns.end; j++) {
            const size_t o = ((size_t)i * (size_t)s->out_width + (size_t)j) * (size_t)s->channels;
            for (int k = 0; k < vectors; k++) {
                const int rest = vectors > 1 ? L : lanes;
                const VectorMask at = (VectorMask)vector_load_first((const float *)whole + o + k * L, rest);
                const Vector d = vector_load_first(dy + o + k * L, rest);
                sum[k] += (Vector)((at == pixel) & (VectorMask)d);
            }
        }
    for (int k = 0; k < vectors; k++) {
        if (!streamed)
            __builtin_prefetch(dx + k * L + AHEAD, 1);
        gradient_store(streamed, dx + k * L, sum[k], lanes - k * L);
    }
}

/* One row of pixels. dy, winner, dx belong to its image. */
static void
max_gradient_row(bool streamed, const PoolShape *s, const Outputs *along, int h, const float *dy, const int32_t *winner,
                 float *dx)
{
    const Outputs rows = outputs_of(s->window.vertical, h, s->out_height);
    for (int w = 0; w < s->width; w++) {
        const int pixel = h * s->width + w;
        float *to = dx + (size_t)pixel * (size_t)s->channels;
        int c = 0;
        for (; c + 4 * VECTOR_LANES <= s->channels; c += 4 * VECTOR_LANES)
            pixel_wins(4, 4 * VECTOR_LANES, streamed, s, rows, along[w], pixel, dy + c, winner + c, to + c);
        for (; c + VECTOR_LANES <= s->channels; c += VECTOR_LANES)
            pixel_wins(1, VECTOR_LANES, streamed, s, rows, along[w], pixel, dy + c, winner + c, to + c);
        if (c < s->channels)
            pixel_wins(1, s->channels - c, streamed, s, rows, along[w], pixel, dy + c, winner + c, to + c);
    }
    if (streamed)
        stream_end();
}

/* Whether each pixel belongs to exactly one window. */
static bool
windows_tile(const PoolShape *s)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    return v.kernel == v.stride && u.kernel == u.stride && v.dilation == 1 && u.dilation == 1 && v.padding == 0 &&
           u.padding == 0 && s->out_height * v.kernel == s->height && s->out_width * u.kernel == s->width;
}

/* The pixels of row i of such windows: to each its dy, if it won, or 0. dy, winner: of that row; dx: of its image. */
static void
spread_row(bool streamed, const PoolShape *s, int i, const float *dy, const int32_t *winner, float *dx)
{
    const int rows = s->window.vertical.kernel, columns = s->window.horizontal.kernel, C = s->channels;
    const void *whole = winner;
    for (int j = 0; j < s->out_width; j++)
        for (int c = 0; c < C; c += VECTOR_LANES) {
            const size_t o = (size_t)j * (size_t)C + (size_t)c;
            const Vector d = vector_load_first(dy + o, C - c);
            const VectorMask at = (VectorMask)vector_load_first((const float *)whole + o, C - c);
            for (int h = i * rows; h < (i + 1) * rows; h++)
                for (int w = j * columns; w < (j + 1) * columns; w++) {
                    const int pixel = h * s->width + w;
                    gradient_store(streamed, dx + (size_t)pixel * (size_t)C + c,
                                   (Vector)((at == pixel) & (VectorMask)d), C - c);
                }
        }
    if (streamed)
        stream_end();
}

static void
spread_wins(const PoolShape *s, const float *dy, const int32_t *winner, float *dx)
{
    const int rows = s->batch * s->out_height;
    const size_t row_size = (size_t)s->out_width * (size_t)s->channels;
    const bool streamed = gradient_streams(s, dx);
#pragma omp parallel for schedule(static) if (pool_image(s, s->batch) >= CHUNKS_MIN)
    for (int row = 0; row < rows; row++)
        spread_row(streamed, s, row % s->out_height, dy + (size_t)row * row_size, winner + (size_t)row * row_size,
                   dx + pool_image(s, row / s->out_height));
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
    if (windows_tile(s)) {
        spread_wins(s, dy, winner, dx);
        return;
    }
    if (s->channels < VECTOR_LANES) {
        scatter_wins(s, outputs, dy, winner, dx);
        return;
    }
    const Outputs *along = outputs_along(s);
    const bool streamed = gradient_streams(s, dx);
#pragma omp parallel for schedule(static) if (pool_image(s, s->batch) >= CHUNKS_MIN)
    for (int row = 0; row < rows; row++) {
        const int b = row / s->height;
        max_gradient_row(streamed, s, along, row % s->height, dy + (size_t)b * outputs, winner + (size_t)b * outputs,
                         dx + pool_image(s, b));
    }
}
