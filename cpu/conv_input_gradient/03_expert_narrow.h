/* The input gradient where x has few channels, as the first layer's images do.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_CONV_INPUT_GRADIENT_EXPERT_NARROW_H
#define CPU_CONV_INPUT_GRADIENT_EXPERT_NARROW_H

#include "cpu/conv/conv.h"

/* One group, and so few channels that a tile of pixels x channels would leave most lanes of its vectors empty. */
bool input_gradient_is_narrow(const ConvShape *shape);

/* dx of such a shape. */
void input_gradient_narrow(const ConvShape *shape, const float *dy, const float *w, float *dx);

#endif
