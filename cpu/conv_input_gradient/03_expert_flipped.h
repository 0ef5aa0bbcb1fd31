/* The input gradient as a convolution of dy, by Winograd's algorithm.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_CONV_INPUT_GRADIENT_EXPERT_FLIPPED_H
#define CPU_CONV_INPUT_GRADIENT_EXPERT_FLIPPED_H

#include "cpu/conv/conv.h"

/* The convolution that gives it: dy is its x, with the kernel flipped and its channels exchanged; stride 1. Padding is
 * kernel - 1 less what it was. */
ConvShape input_gradient_flipped_shape(const ConvShape *shape);

/* The rung of conv that this convolution is best made by, if it is one of Winograd's; else NULL. */
ConvForward *input_gradient_flipped_algorithm(const ConvShape *shape);

/* dx by that rung. */
void input_gradient_flipped(ConvForward *forward, const ConvShape *shape, const float *dy, const float *w, float *dx);

#endif
