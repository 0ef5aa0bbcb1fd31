/* Pooling by its definition, in double: every tap of every window is looked at. For tests/cpu/test_pool.c.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_CPU_POOL_TRUTH_H
#define TESTS_CPU_POOL_TRUTH_H

#include "core/array.h"
#include "cpu/pool/pool.h"
#include <math.h>
#include <stdbool.h>

static inline size_t
pixels_in(const PoolShape *s)
{
    return (size_t)s->batch * (size_t)s->height * (size_t)s->width * (size_t)s->channels;
}

static inline size_t
pixels_out(const PoolShape *s)
{
    return (size_t)s->batch * (size_t)s->out_height * (size_t)s->out_width * (size_t)s->channels;
}

static inline bool
is_inside(int h, int pixels, int padding)
{
    return h >= -padding && h < pixels + padding;
}

typedef struct Truth {
    double *max, *average;     /* as y */
    int32_t *winner;           /* as y */
    double *dmax, *daverage;   /* as x */
    double *max_sum, *avg_sum; /* as x: sums of |dy|, for the tolerance */
} Truth;

typedef struct Place {
    int b, i, j, c;
} Place;

/* One output; dy of it is passed back to the inputs. */
static inline void
truth_at(const PoolShape *s, Place at, const float *x, float dy, size_t o, Truth *t)
{
    const WindowAxis v = s->window.vertical, z = s->window.horizontal;
    double sum = 0, max = -INFINITY;
    int counted = 0, winner = -1;
    size_t inside[1024];
    int count = 0;
    for (int k = 0; k < v.kernel * z.kernel; k++) {
        const int h = at.i * v.stride - v.padding + k / z.kernel * v.dilation;
        const int w = at.j * z.stride - z.padding + k % z.kernel * z.dilation;
        counted += is_inside(h, s->height, v.padding) && is_inside(w, s->width, z.padding);
        if (!is_inside(h, s->height, 0) || !is_inside(w, s->width, 0))
            continue;
        const int pixel = h * s->width + w;
        inside[count] =
            ((size_t)at.b * (size_t)s->height * (size_t)s->width + (size_t)pixel) * (size_t)s->channels + (size_t)at.c;
        const double value = (double)x[inside[count++]];
        sum += value;
        if (winner < 0 || value > max || (isnan(value) && !isnan(max))) {
            max = value;
            winner = pixel;
        }
    }
    t->max[o] = max;
    t->winner[o] = winner;
    t->average[o] = counted > 0 ? sum / counted : 0;
    for (int k = 0; k < count; k++) {
        t->daverage[inside[k]] += (double)dy / counted;
        t->avg_sum[inside[k]] += fabs((double)dy) / counted;
        if (inside[k] / (size_t)s->channels % ((size_t)s->height * (size_t)s->width) == (size_t)winner) {
            t->dmax[inside[k]] += (double)dy;
            t->max_sum[inside[k]] += fabs((double)dy);
        }
    }
}

static inline Truth
truth_create(const PoolShape *s, const float *x, const float *dy)
{
    const size_t in = pixels_in(s), out = pixels_out(s);
    Truth t = {ARRAY(double, out), ARRAY(double, out), ARRAY(int32_t, out), ARRAY(double, in),
               ARRAY(double, in),  ARRAY(double, in),  ARRAY(double, in)};
    size_t o = 0;
    for (int b = 0; b < s->batch; b++)
        for (int i = 0; i < s->out_height; i++)
            for (int j = 0; j < s->out_width; j++)
                for (int c = 0; c < s->channels; c++, o++)
                    truth_at(s, (Place){b, i, j, c}, x, dy[o], o, &t);
    return t;
}

static inline void
truth_free(Truth *t)
{
    void *const arrays[] = {t->max, t->average, t->winner, t->dmax, t->daverage, t->max_sum, t->avg_sum};
    for (int i = 0; i < 7; i++)
        array_free(arrays[i]);
}

#endif
