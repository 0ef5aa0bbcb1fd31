/* A convolution with random arrays, and both of its gradients in double, for the tests of cpu/conv_input_gradient and
 * cpu/conv_weight_gradient. The sums are made here from the formula of cpu/conv/conv.h, not with the ladders' references.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_CPU_CONV_GRADIENTS_CASE_H
#define TESTS_CPU_CONV_GRADIENTS_CASE_H

#include "core/array.h"
#include "core/rng.h"
#include "cpu/conv/conv.h"
#include "ladder/verify.h"
#include <float.h>
#include <math.h>

typedef struct GradientCase {
    ConvShape shape;
    size_t xs, ws, ys; /* elements */
    float *x, *w, *dy;
    double *dx, *dw, *dx_tolerance, *dw_tolerance;
} GradientCase;

static inline float *
random_array(size_t n, uint64_t stream)
{
    float *x = ARRAY(float, n);
    rng_fill_uniform(5, stream, 0, x, n, -1.0, 1.0);
    return x;
}

/* One product of the sum that y[..][o] is: to dx goes dy w, to dw goes dy x. The tolerances collect magnitudes first. */
static inline void
gradient_case_add(GradientCase *c, size_t x, size_t w, size_t y)
{
    const double to_x = (double)c->dy[y] * (double)c->w[w], to_w = (double)c->dy[y] * (double)c->x[x];
    c->dx[x] += to_x;
    c->dw[w] += to_w;
    c->dx_tolerance[x] += fabs(to_x);
    c->dw_tolerance[w] += fabs(to_w);
}

/* All products of output channel o of pixel (b, i, j). */
static inline void
gradient_case_output(GradientCase *c, int b, int i, int j, int o, size_t y)
{
    const ConvShape *s = &c->shape;
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    const int in = s->channels / s->groups, group = o / (s->out_channels / s->groups);
    for (int a = 0; a < v.kernel; a++)
        for (int e = 0; e < u.kernel; e++)
            for (int k = 0; k < in; k++) {
                const int h = i * v.stride - v.padding + a * v.dilation, t = j * u.stride - u.padding + e * u.dilation;
                if (h < 0 || h >= s->height || t < 0 || t >= s->width)
                    continue;
                gradient_case_add(c, (size_t)(((b * s->height + h) * s->width + t) * s->channels + group * in + k),
                                  (size_t)(((a * u.kernel + e) * in + k) * s->out_channels + o), y);
            }
}

static inline GradientCase
gradient_case(ConvShape shape)
{
    const ConvShape *s = &shape;
    const int OH = conv_out_height(s), OW = conv_out_width(s);
    GradientCase c = {.shape = shape};
    c.xs = (size_t)(s->batch * s->height * s->width * s->channels);
    c.ws =
        (size_t)(s->window.vertical.kernel * s->window.horizontal.kernel * (s->channels / s->groups) * s->out_channels);
    c.ys = (size_t)(s->batch * OH * OW * s->out_channels);
    c.x = random_array(c.xs, 0);
    c.w = random_array(c.ws, 1);
    c.dy = random_array(c.ys, 2);
    c.dx = ARRAY(double, c.xs);
    c.dw = ARRAY(double, c.ws);
    c.dx_tolerance = ARRAY(double, c.xs);
    c.dw_tolerance = ARRAY(double, c.ws);
    size_t y = 0;
    for (int b = 0; b < s->batch; b++)
        for (int i = 0; i < OH; i++)
            for (int j = 0; j < OW; j++)
                for (int o = 0; o < s->out_channels; o++)
                    gradient_case_output(&c, b, i, j, o, y++);
    const double x_terms = (double)s->window.vertical.kernel * s->window.horizontal.kernel * s->out_channels + 3.0;
    const double w_terms = (double)s->batch * OH * OW + 3.0;
    for (size_t n = 0; n < c.xs; n++)
        c.dx_tolerance[n] *= x_terms * FLT_EPSILON / 2.0;
    for (size_t n = 0; n < c.ws; n++)
        c.dw_tolerance[n] *= w_terms * FLT_EPSILON / 2.0;
    return c;
}

static inline void
gradient_case_free(GradientCase *c)
{
    void *const arrays[] = {c->x, c->w, c->dy, c->dx, c->dw, c->dx_tolerance, c->dw_tolerance};
    for (int i = 0; i < 7; i++)
        array_free(arrays[i]);
}

typedef struct InputRung {
    const char *name;
    ConvInputGradient *run;
} InputRung;

typedef struct WeightRung {
    const char *name;
    ConvWeightGradient *run;
    bool (*accepts)(const ConvShape *shape); /* NULL: every shape */
} WeightRung;

static inline bool
weight_rung_takes(const WeightRung *rung, const ConvShape *shape)
{
    return rung->accepts == NULL || rung->accepts(shape);
}

static const InputRung input_rungs[] = {{"direct", conv_input_gradient_direct},
                                        {"col2im", conv_input_gradient_col2im},
                                        {"expert", conv_input_gradient_expert}};
static const WeightRung weight_rungs[] = {{"direct", conv_weight_gradient_direct},
                                          {"im2col", conv_weight_gradient_im2col},
                                          {"implicit", conv_weight_gradient_implicit},
                                          {"offsets", conv_weight_gradient_offsets},
                                          {"planes", conv_weight_gradient_planes, conv_planes_accepts},
                                          {"expert", conv_weight_gradient_expert}};
enum {
    INPUT_RUNGS = sizeof input_rungs / sizeof input_rungs[0],
    WEIGHT_RUNGS = sizeof weight_rungs / sizeof weight_rungs[0]
};

#endif
