/* Pooling, a thread for each element of the result: see kernels.h. cpu/pool/pool.h has the formulas. Backward, each pixel of dx
 * gathers from the windows that hold it, so that no two threads write to the same element:
 *
 *     pixels     0   1   2   3   4         kernel 3, stride 2, padding 1:
 *              [.....0]                    pixel 1 is held by windows 0 and 1,
 *                  [.....1.....]           pixel 2 by window 1
 *
 * SPDX-License-Identifier: MIT */
#include "gpu/backend/elements.cuh"
#include "gpu/backend/kernels.h"
#include <cuda_runtime.h>

/* Element `at` of an array [batch][height][width][channels]. */
typedef struct Place {
    int b, h, w, c;
} Place;

static __device__ inline Place
place_of(size_t at, int height, int width, int channels)
{
    const size_t pixel = at / channels, row = pixel / width;
    const Place place = {(int)(row / height), (int)(row % height), (int)(pixel % width), (int)(at % channels)};
    return place;
}

/* Taps or outputs begin, begin + 1, .. below end. */
typedef struct Steps {
    int begin, end;
} Steps;

/* The taps of output i inside an image of `pixels` pixels. */
static __device__ inline Steps
taps_inside(WindowAxis axis, int i, int pixels)
{
    const int first = window_begin(axis, i), before = first < 0 ? (-first + axis.dilation - 1) / axis.dilation : 0;
    const int until = first < pixels ? (pixels - first - 1) / axis.dilation + 1 : 0;
    const Steps taps = {before, until < axis.kernel ? until : axis.kernel};
    return taps;
}

/* The number of taps that an average counts: those in the image and its padding. */
static __device__ inline int
taps_counted(WindowAxis axis, int i, int pixels)
{
    return taps_inside(axis, i, pixels + axis.padding).end;
}

static __device__ inline float
share(PoolShape s, int i, int j)
{
    const float counted =
        (float)taps_counted(s.window.vertical, i, s.height) * (float)taps_counted(s.window.horizontal, j, s.width);
    return counted > 0 ? 1 / counted : 0;
}

/* The outputs whose window may hold a pixel; with a dilation of 1, all of them do. */
static __device__ inline Steps
outputs_near(WindowAxis axis, int pixel, int outputs)
{
    const int last = pixel + axis.padding, first = last - (axis.kernel - 1) * axis.dilation;
    const int end = last / axis.stride + 1;
    const Steps near = {first > 0 ? (first - 1) / axis.stride + 1 : 0, end < outputs ? end : outputs};
    return near;
}

static __device__ inline bool
holds(WindowAxis axis, int i, int pixel)
{
    return (pixel - window_begin(axis, i)) % axis.dilation == 0;
}

/* Larger, or the first NaN. */
static __device__ inline bool
is_better(float x, float max)
{
    return !(x <= max) && max == max;
}

static __global__ void
max_pool_forward(size_t n, PoolShape s, const float *x, float *y, int32_t *winner)
{
    const size_t at = element_number();
    if (at >= n)
        return;
    const WindowAxis v = s.window.vertical, u = s.window.horizontal;
    const Place o = place_of(at, s.out_height, s.out_width, s.channels);
    const Steps down = taps_inside(v, o.h, s.height), along = taps_inside(u, o.w, s.width);
    const float *image = x + (size_t)o.b * s.height * s.width * s.channels + o.c;
    float max = -INFINITY;
    int best = -1;
    for (int a = down.begin; a < down.end; a++)
        for (int c = along.begin; c < along.end; c++) {
            const int pixel = (window_begin(v, o.h) + a * v.dilation) * s.width + window_begin(u, o.w) + c * u.dilation;
            const float value = image[(size_t)pixel * s.channels];
            if (best < 0 || is_better(value, max)) {
                max = value;
                best = pixel;
            }
        }
    y[at] = max;
    if (winner != NULL)
        winner[at] = best;
}

static __global__ void
max_pool_backward(size_t n, PoolShape s, const float *dy, const int32_t *winner, float *dx)
{
    const size_t at = element_number();
    if (at >= n)
        return;
    const Place p = place_of(at, s.height, s.width, s.channels);
    const Steps down = outputs_near(s.window.vertical, p.h, s.out_height);
    const Steps along = outputs_near(s.window.horizontal, p.w, s.out_width);
    float sum = 0;
    for (int i = down.begin; i < down.end; i++)
        for (int j = along.begin; j < along.end; j++) {
            const size_t o = (((size_t)p.b * s.out_height + i) * s.out_width + j) * s.channels + p.c;
            if (winner[o] == p.h * s.width + p.w)
                sum += dy[o];
        }
    dx[at] = sum;
}

static __global__ void
average_pool_forward(size_t n, PoolShape s, const float *x, float *y)
{
    const size_t at = element_number();
    if (at >= n)
        return;
    const WindowAxis v = s.window.vertical, u = s.window.horizontal;
    const Place o = place_of(at, s.out_height, s.out_width, s.channels);
    const Steps down = taps_inside(v, o.h, s.height), along = taps_inside(u, o.w, s.width);
    const float *image = x + (size_t)o.b * s.height * s.width * s.channels + o.c;
    float sum = 0;
    for (int a = down.begin; a < down.end; a++)
        for (int c = along.begin; c < along.end; c++) {
            const int h = window_begin(v, o.h) + a * v.dilation, w = window_begin(u, o.w) + c * u.dilation;
            sum += image[((size_t)h * s.width + w) * s.channels];
        }
    y[at] = sum * share(s, o.h, o.w);
}

static __global__ void
average_pool_backward(size_t n, PoolShape s, const float *dy, float *dx)
{
    const size_t at = element_number();
    if (at >= n)
        return;
    const WindowAxis v = s.window.vertical, u = s.window.horizontal;
    const Place p = place_of(at, s.height, s.width, s.channels);
    const Steps down = outputs_near(v, p.h, s.out_height), along = outputs_near(u, p.w, s.out_width);
    float sum = 0;
    for (int i = down.begin; i < down.end; i++)
        for (int j = along.begin; j < along.end; j++)
            if (holds(v, i, p.h) && holds(u, j, p.w))
                sum += dy[(((size_t)p.b * s.out_height + i) * s.out_width + j) * s.channels + p.c] * share(s, i, j);
    dx[at] = sum;
}

static size_t
elements_before(const PoolShape *s)
{
    return (size_t)s->batch * s->height * s->width * s->channels;
}

static size_t
elements_after(const PoolShape *s)
{
    return (size_t)s->batch * s->out_height * s->out_width * s->channels;
}

void
launch_max_pool_forward(const PoolShape *shape, const float *x, float *y, int32_t *winner)
{
    const size_t n = elements_after(shape);
    if (n > 0)
        max_pool_forward<<<element_blocks(n), ELEMENT_THREADS>>>(n, *shape, x, y, winner);
}

void
launch_max_pool_backward(const PoolShape *shape, const float *dy, const int32_t *winner, float *dx)
{
    const size_t n = elements_before(shape);
    if (n > 0)
        max_pool_backward<<<element_blocks(n), ELEMENT_THREADS>>>(n, *shape, dy, winner, dx);
}

void
launch_average_pool_forward(const PoolShape *shape, const float *x, float *y)
{
    const size_t n = elements_after(shape);
    if (n > 0)
        average_pool_forward<<<element_blocks(n), ELEMENT_THREADS>>>(n, *shape, x, y);
}

void
launch_average_pool_backward(const PoolShape *shape, const float *dy, float *dx)
{
    const size_t n = elements_before(shape);
    if (n > 0)
        average_pool_backward<<<element_blocks(n), ELEMENT_THREADS>>>(n, *shape, dy, dx);
}
