/* An image with its padding around it: a pass over x, after which no window looks outside.
 *
 *     . . . . . .
 *     . 0 1 2 3 .        padding 1: the dots are zeros
 *     . 4 5 6 7 .
 *     . . . . . .
 *
 * SPDX-License-Identifier: MIT */
#ifndef CPU_CONV_PADDED_H
#define CPU_CONV_PADDED_H

#include "core/conv_shape.h"
#include <stdbool.h>
#include <stddef.h>

/* The same convolution of the larger image, without padding. */
ConvShape conv_padded_shape(const ConvShape *shape);

/* Whether offsets within the larger image fit an int. */
bool conv_padded_accepts(const ConvShape *shape);

/* Floats of an image of this shape. */
size_t conv_image_size(const ConvShape *shape);

/* padded [batch][height + 2 padding][width + 2 padding][channels]: all of it is written, by `threads` threads. */
void conv_write_padded(const ConvShape *shape, const float *x, float *padded, int threads);

/* offset[k], k < conv_patch_size: the distance of the patch's float k from the window's first float; row, pixel and channel are
 * the strides in floats. */
void conv_patch_offsets(const ConvShape *shape, int row, int pixel, int channel, int *offset);

/* offset[i OW + j]: the distance of the window of output pixel (i, j) from the image's first float. Without padding. */
void conv_pixel_offsets(const ConvShape *padded, int *offset);

#endif
