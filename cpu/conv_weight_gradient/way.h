/* Which way rung 8 goes. SPDX-License-Identifier: MIT */
#ifndef CPU_CONV_WEIGHT_GRADIENT_WAY_H
#define CPU_CONV_WEIGHT_GRADIENT_WAY_H

#include "core/conv_shape.h"

typedef enum ConvWeightGradientWay {
    WEIGHT_GRADIENT_IMPLICIT, /* rung 3 */
    WEIGHT_GRADIENT_WINOGRAD, /* rung 4 */
    WEIGHT_GRADIENT_OFFSETS,  /* rung 5 */
    WEIGHT_GRADIENT_IN_PLACE, /* rung 6 */
    WEIGHT_GRADIENT_PLANES    /* rung 7 */
} ConvWeightGradientWay;

/* Depends on the shape alone. */
ConvWeightGradientWay conv_weight_gradient_way(const ConvShape *shape);

#endif
