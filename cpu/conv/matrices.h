/* Convolution as products of matrices, in its plainest form: one image at a time, one group, a matrix of patches that is
 * really there. Lecture 3 shows it and lab 3 is cut from it. The rungs of the ladders do the same with blocks, vectors, threads
 * and groups.
 *
 *     P   [pixels][K]           a row for each pixel of the output; K = KH KW channels numbers that it sees: im2col
 *     w   [K][out_channels]     as it is stored
 *     y   [pixels][out_channels]
 *
 *     y  = P w + b              forward
 *     dw = P^T dy,  db = the sums of dy's columns
 *     dP = dy w^T,  dx = each number of dP added to the pixel that it was copied from: col2im
 *
 * All shapes have groups = 1; channels and out_channels are 1 or more; only the last two functions look at batch. Arrays are
 * dense and do not overlap. conv_patch_size (patches.h) is K, window_begin (core/sliding_window.h) says where a window begins.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_CONV_MATRICES_H
#define CPU_CONV_MATRICES_H

#include "core/conv_shape.h"

/* P of one image x[height][width][channels]: overwritten. */
void matrices_im2col(const ConvShape *shape, const float *x, float *P);

/* y = P w + bias: overwritten. */
void matrices_forward(const ConvShape *shape, const float *P, const float *w, const float *bias, float *y);

/* dw += P^T dy, db += the sum of dy's rows: the images of a batch add up. */
void matrices_weight_gradient(const ConvShape *shape, const float *P, const float *dy, float *dw, float *db);

/* dP = dy w^T: overwritten. */
void matrices_patch_gradient(const ConvShape *shape, const float *dy, const float *w, float *dP);

/* dx[height][width][channels] = the sum of what dP holds for each of its numbers: overwritten. */
void matrices_col2im(const ConvShape *shape, const float *dP, float *dx);

/* A batch of images: y = x * w + bias; dx, dw and db are overwritten. */
void matrices_conv(const ConvShape *shape, const float *x, const float *w, const float *bias, float *y);
void matrices_conv_gradients(const ConvShape *shape, const float *x, const float *w, const float *dy, float *dx,
                             float *dw, float *db);

#endif
