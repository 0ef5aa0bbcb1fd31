/* Convolution, as networks use the word: the kernel is not flipped.
 *
 *     y[b][i][j][o] = sum over a, c, k of  x[b][i s - p + a d][j s - p + c d][k] w[a][c][k][o]      + what the epilogue says
 *
 *     x  [batch][height][width][channels]                       NHWC
 *     w  [KH][KW][channels / groups][out_channels]              output channels of group g: a range of out_channels / groups
 *     y  [batch][out height][out width][out_channels]
 *
 * Pixels outside the image are zeros. With G groups the channels of x and y are partitioned into G equal ranges, and range g of
 * y sees range g of x alone; G = channels is a depthwise convolution. So y, as a matrix [pixels][out_channels], is a product:
 * row (b, i, j) of the matrix of patches times w as [KH KW channels][out_channels], and nothing is transposed.
 *
 * All arrays are dense and do not overlap. batch, height, width, channels and out_channels may be 0; every output is then what
 * the empty sum leaves. The same bits for any number of threads.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_CONV_H
#define CPU_CONV_H

#include "core/conv_shape.h"
#include "core/epilogue.h"

/* y = epilogue(x * w). epilogue NULL: y is the sum alone. */
typedef void ConvForward(const ConvShape *shape, const float *x, const float *w, const Epilogue *epilogue, float *y);

/* dx = the gradient of sum(y dy) with respect to x: overwritten. */
typedef void ConvInputGradient(const ConvShape *shape, const float *dy, const float *w, float *dx);

/* dw = the gradient of sum(y dy) with respect to w: overwritten. */
typedef void ConvWeightGradient(const ConvShape *shape, const float *x, const float *dy, float *dw);

/* The rungs, from the bottom to the top: cpu/conv/NN_<idea>.c; those of the gradients in cpu/conv_input_gradient and
 * cpu/conv_weight_gradient. */
ConvForward conv_direct;       /* seven loops */
ConvForward conv_im2col;       /* the matrix of patches, written out, times w by gemm */
ConvForward conv_implicit;     /* the same product, patches packed straight into the micro-kernel's panels */
ConvForward conv_winograd_2x2; /* F(2x2, 3x3): accepts 3x3, stride 1, dilation 1, one group */
ConvForward conv_winograd_4x4; /* F(4x4, 3x3): the same */
ConvForward conv_offsets;      /* no patches: the micro-kernel reads x by a table of offsets */
ConvForward conv_planes;       /* vectorised over pixels: few out channels, one group, no stride along rows */
ConvForward conv_expert;       /* the fastest of them for the shape */

bool conv_winograd_accepts(const ConvShape *shape);
bool conv_offsets_accepts(const ConvShape *shape); /* images of less than 2^31 floats, padding included */
bool
conv_planes_accepts(const ConvShape *shape); /* the same, and half a vector of out channels, as conv_planes states */

ConvInputGradient conv_input_gradient_direct;
ConvInputGradient conv_input_gradient_col2im;
ConvInputGradient conv_input_gradient_expert;

ConvWeightGradient conv_weight_gradient_direct;
ConvWeightGradient conv_weight_gradient_im2col;
ConvWeightGradient conv_weight_gradient_implicit;
ConvWeightGradient conv_weight_gradient_winograd; /* accepts what conv_winograd_accepts() does */
ConvWeightGradient conv_weight_gradient_offsets;  /* and conv_offsets_accepts() */
ConvWeightGradient conv_weight_gradient_in_place; /* and conv_is_pointwise() */
ConvWeightGradient conv_weight_gradient_planes;   /* and conv_planes_accepts() */
ConvWeightGradient conv_weight_gradient_expert;

#endif
