/* What the ladders of the two gradients of convolution share: problems, and references in double.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_CONV_LADDER_GRADIENTS_H
#define CPU_CONV_LADDER_GRADIENTS_H

#include "cpu/conv/conv.h"
#include "cpu/onednn.h"
#include "ladder/ladder.h"

/* A size: 8 numbers. One group, no dilation, the same stride and padding in both directions. */
enum {
    CONV_BATCH,
    CONV_HEIGHT,
    CONV_WIDTH,
    CONV_CHANNELS,
    CONV_OUT_CHANNELS,
    CONV_KERNEL,
    CONV_STRIDE,
    CONV_PADDING,
    CONV_NUMBERS
};
#define CONV_GRADIENT_DIMENSIONS "BxHxWxCxOCxKxSxP (K kernel, S stride, P padding)"
#define CONV_GRADIENT_TOLERANCE                                                                                        \
    "|error| <= 2^-24 min(n N, 12 sqrt(n N)), n = N + 3, N the terms of a sum; products are at most 1"

ConvShape conv_gradient_shape(const int *size);

/* Of the rungs that read x by offsets, and of those on planes, forward and backward. */
bool conv_size_accepts_offsets(const int *size, Error *reason);
bool conv_size_accepts_planes(const int *size, Error *reason);

/* dx [batch][height][width][channels] and dw [KH][KW][channels / groups][out_channels], summed in double, by all threads. */
void conv_input_gradient_reference(const ConvShape *shape, const float *dy, const float *w, double *dx);
void conv_weight_gradient_reference(const ConvShape *shape, const float *x, const float *dy, double *dw);

/* Of an Operation's inputs. */
typedef struct ConvGradientOperands {
    const ConvShape *shape;
    bool of_weights;         /* dw from x and dy; else dx from w and dy */
    const float *other, *dy; /* other: x or w */
} ConvGradientOperands;
ConvGradientOperands conv_gradient_operands(const void *inputs);

/* y [batch][out height][out width][out_channels], likewise; one group. */
void conv_reference(const ConvShape *shape, const float *x, const float *w, double *y);

/* The functions of an Operation. */
void *conv_input_gradient_create(const int *size, uint64_t seed, Error *error);
void *conv_weight_gradient_create(const int *size, uint64_t seed, Error *error);
void conv_gradient_refresh(void *inputs, uint64_t round);
void conv_gradient_reference(const void *inputs, double *want, double *tolerance);
void conv_gradient_call(LadderFunction *function, const void *inputs, void *output);
void conv_gradient_destroy(void *inputs);

/* oneDNN's gradients as peers of both ladders: ladder_gradients_onednn.c. In its own layouts, which are converted before and after
 * the calls that are timed; run() does not look at what it is given. */
bool conv_input_gradient_onednn_accepts(const int *size, Error *reason);
bool conv_weight_gradient_onednn_accepts(const int *size, Error *reason);
void conv_gradient_onednn_prepare(const void *inputs);
void conv_gradient_onednn_run(const ConvShape *shape, const float *first, const float *second, float *output);
void conv_gradient_onednn_fetch(const void *inputs, void *output);
const char *conv_gradient_onednn_algorithm(const int *size);
double
conv_gradient_onednn_tolerance_factor(const int *size); /* it may choose Winograd's algorithm (cpu/conv/ladder.c) */

double conv_gradient_flops(const int *size); /* without those on pixels outside the image */
double conv_gradient_bytes(const int *size);

/* What the tables of the two ladders have in common: the row of oneDNN, and most of the Operation. */
#define CONV_GRADIENT_ONEDNN(accepts_)                                                                                 \
    {                                                                                                                  \
        .name = "onednn", .idea = "the primitive, layouts converted before",                                           \
        .file = "cpu/conv/ladder_gradients_onednn.c", .function = (LadderFunction *)conv_gradient_onednn_run,          \
        .peer = true, .accepts = (accepts_), .describe = onednn_describe, .use_threads = onednn_use_threads,           \
        .prepare = conv_gradient_onednn_prepare, .fetch = conv_gradient_onednn_fetch,                                  \
        .tolerance_factor = conv_gradient_onednn_tolerance_factor, .algorithm = conv_gradient_onednn_algorithm         \
    }
#define CONV_GRADIENT_OPERATION                                                                                        \
    .dimensions = CONV_GRADIENT_DIMENSIONS, .dimension_count = CONV_NUMBERS, .counts = CONV_PADDING,                   \
    .tolerance = CONV_GRADIENT_TOLERANCE, .lecture = "lectures/03-convolution.md", .refresh = conv_gradient_refresh,   \
    .reference = conv_gradient_reference, .call = conv_gradient_call, .destroy = conv_gradient_destroy,                \
    .flops = conv_gradient_flops, .bytes = conv_gradient_bytes

#endif
