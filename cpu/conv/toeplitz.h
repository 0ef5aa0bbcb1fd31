/* A convolution as one matrix: y = T x, with the pixels of the image, and those of the output, as vectors.
 *
 *     image   A B C      kernel  a b        P     a b 0 c d 0 0 0 0     A
 *             D E F              c d        Q  =  0 a b 0 c d 0 0 0     B
 *             G H J                         R     0 0 0 a b 0 c d 0     C
 *                                           S     0 0 0 0 a b 0 c d     ..
 *
 * Along each diagonal stands the same number: a Toeplitz matrix, of blocks that are Toeplitz matrices. It shows that a
 * convolution is a linear layer, most of whose weights are 0 and the others shared, and that its gradient with respect to x is
 * the transpose. It is not used for computing: 56 x 56 pixels of 64 channels would take 160 GB.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_CONV_TOEPLITZ_H
#define CPU_CONV_TOEPLITZ_H

#include "core/conv_shape.h"
#include "core/error.h"

typedef struct Toeplitz {
    int rows, columns; /* out_height * out_width * out_channels, height * width * channels */
    float *T;          /* [rows][columns], owned */
} Toeplitz;

/* Of one image (batch is not looked at); w [KH][KW][channels / groups][out_channels]. False with a sentence if it is too large. */
bool toeplitz_create(Toeplitz *toeplitz, const ConvShape *shape, const float *w, Error *error);
void toeplitz_free(Toeplitz *toeplitz);

/* y[rows] = T x + bias, whose element o is added to every output of channel o, out_channels = 1 .. of them. bias may be NULL. */
void toeplitz_multiply(const Toeplitz *toeplitz, const float *x, const float *bias, int out_channels, float *y);

#endif
