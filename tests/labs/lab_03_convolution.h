/* Convolutions for the tests of lab 03, whose results are known exactly: all numbers are small whole ones, so that every order of
 * every sum gives the same bits. What is right is found without a matrix of patches: by asking of each pair of an output pixel
 * and an input pixel whether the one sees the other.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_LABS_LAB_03_CONVOLUTION_H
#define TESTS_LABS_LAB_03_CONVOLUTION_H

#include "core/conv_shape.h"
#include "core/rng.h"
#include <stddef.h>

/* A shape with random numbers for it. P has the size of one image's patches, but holds anything: most of the exercises start from
 * there, and need no im2col. */
typedef struct Lab03Case {
    ConvShape shape;
    size_t M, N, K;  /* output pixels of an image, output channels, numbers in a patch */
    size_t pixels;   /* of an image of x */
    float *x, *dy;   /* [batch][pixels][channels], [batch][M][N] */
    float *w, *bias; /* [K][N], [N] */
    float *P;        /* [M][K] */
    char text[200];  /* the shape in words */
} Lab03Case;

Lab03Case lab_03_create(Rng *rng, const ConvShape *shape);
void lab_03_free(Lab03Case *c);

/* The first image's patches, [M][K]; what col2im makes of c->P, [pixels][channels]. */
void lab_03_patches(const Lab03Case *c, double *P);
void lab_03_image(const Lab03Case *c, double *dx);

/* The whole batch. */
void lab_03_forward(const Lab03Case *c, double *y);
void lab_03_gradients(const Lab03Case *c, double *dx, double *dw, double *db);

#endif
