/* Which pixels a window of pooling has, along one direction, and which windows a pixel has.
 *
 *     padding  | image              | padding
 *        .   . | 0   1   2   3   4  | .   .         kernel 3, stride 2, padding 2
 *      [......... 0]                                output 0: pixel 0; 3 counted for the average
 *              [ 0   1   2 ]                        output 1: pixels 0 1 2
 *                      [ 2   3   4 ]                output 2: pixels 2 3 4
 *                              [ 4   .   . ]        output 3: pixel 4; 3 counted
 *                                       [.. ..      output 4, of ceil mode: no pixel, 1 counted
 *
 * SPDX-License-Identifier: MIT */
#ifndef CPU_POOL_TAPS_H
#define CPU_POOL_TAPS_H

#include "core/nontemporal.h"
#include "core/workspace.h"
#include "cpu/pool/pool.h"
#include <stdbool.h>
#include <stdint.h>

enum {
    PREFETCHED = 16, /* floats of a cache line */
    AHEAD = 1024     /* floats: prefetch distance for lines that are written by ordinary stores */
};

/* Pixels first, first + step, .. below end, `count` of them: those inside the image. counted: those inside image and padding. */
typedef struct Taps {
    int first, end, step, count, counted;
} Taps;

/* How many of begin, begin + step, .. (kernel of them) are below limit. */
static inline int
taps_below(WindowAxis axis, int begin, int limit)
{
    if (begin >= limit)
        return 0;
    const int pixels = limit - begin; /* the division is the slow part, and rarely needed */
    const int count = axis.dilation == 1 ? pixels : (pixels - 1) / axis.dilation + 1;
    return count < axis.kernel ? count : axis.kernel;
}

/* Those inside image and padding: what an average counts. */
static inline int
taps_counted(WindowAxis axis, int output, int pixels)
{
    return taps_below(axis, window_begin(axis, output), pixels + axis.padding);
}

static inline Taps
taps_of(WindowAxis axis, int output, int pixels)
{
    const int begin = window_begin(axis, output), step = axis.dilation;
    const int outside = taps_below(axis, begin, 0), inside = taps_below(axis, begin, pixels);
    return (Taps){.first = begin + outside * step,
                  .end = begin + inside * step,
                  .step = step,
                  .count = inside - outside,
                  .counted = taps_counted(axis, output, pixels)};
}

static inline Taps
taps_down(const PoolShape *s, int i)
{
    return taps_of(s->window.vertical, i, s->height);
}

static inline Taps
taps_along(const PoolShape *s, int j)
{
    return taps_of(s->window.horizontal, j, s->width);
}

/* Outputs first .. end-1 are those whose window may hold the pixel; with a dilation of 1, all of them do. */
typedef struct Outputs {
    int first, end;
} Outputs;

static inline Outputs
outputs_of(WindowAxis axis, int pixel, int outputs)
{
    const int last_tap = pixel + axis.padding, first_tap = last_tap - (axis.kernel - 1) * axis.dilation;
    const int first = first_tap > 0 ? (first_tap - 1) / axis.stride + 1 : 0, end = last_tap / axis.stride + 1;
    return (Outputs){first, end < outputs ? end : outputs};
}

/* Floats of x to prefetch for each output of a row: together they are the rows that the next row of outputs adds. */
static inline size_t
taps_share(const PoolShape *s)
{
    const size_t row = (size_t)s->width * (size_t)s->channels;
    return row * (size_t)s->window.vertical.stride / (size_t)(s->out_width > 0 ? s->out_width : 1);
}

/* Prefetches the rows behind row i's windows, which the next row of outputs adds, chunk j of one chunk per output. Without
 * that, each new row of pixels begins with cache misses. Always inlined: GCC 12 considers a function that only prefetches as
 * one without effect, and removes its calls. */
static inline __attribute__((always_inline)) void
taps_prefetch(const PoolShape *s, int i, int j, size_t share, const float *image)
{
    const WindowAxis down = s->window.vertical;
    const size_t row = (size_t)s->width * (size_t)s->channels;
    const int last = window_begin(down, i) + (down.kernel - 1) * down.dilation;
    const float *from = image + (size_t)(last > 0 ? last + 1 : 1) * row + (size_t)j * share;
    for (size_t n = 0; n < share; n += PREFETCHED)
        __builtin_prefetch(from + n);
}

/* 1 / the pixels that an average counts. */
static inline float
pool_share(Taps down, Taps along)
{
    const float counted = (float)down.counted * (float)along.counted;
    return counted > 0 ? 1 / counted : 0;
}

/* Larger, or the first NaN. */
static inline bool
pool_is_better(float x, float max)
{
    return !(x <= max) & (max == max); /* &, not &&: no branch */
}

/* outputs_of for each pixel of a row: it is needed again in every row, and a division there costs about the time of a vector of
 * outputs. A workspace of the calling thread, which other threads may read. */
static inline const Outputs *
outputs_along(const PoolShape *s)
{
    Outputs *columns = workspace((size_t)s->width * sizeof *columns);
    for (int w = 0; w < s->width; w++)
        columns[w] = outputs_of(s->window.horizontal, w, s->out_width);
    return columns;
}

/* Where image b begins. */
static inline size_t
pool_image(const PoolShape *s, int b)
{
    return (size_t)b * (size_t)s->height * (size_t)s->width * (size_t)s->channels;
}

/* Whether dx is written with non-temporal stores: it exceeds the last-level cache, and each pixel is full, aligned vectors. */
static inline bool
gradient_streams(const PoolShape *s, const float *dx)
{
    return s->channels % VECTOR_LANES == 0 && (uintptr_t)dx % VECTOR_BYTES == 0 &&
           nontemporal_pays(pool_image(s, s->batch) * sizeof *dx);
}

/* A vector of dx, of which only the first lanes are there. */
static inline void
gradient_store(bool streamed, float *dx, Vector v, int lanes)
{
    if (streamed)
        vector_store_nontemporal(dx, v);
    else
        vector_store_first(dx, v, lanes);
}

#endif
