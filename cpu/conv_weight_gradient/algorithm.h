/* The algorithm that rung 8 chooses. SPDX-License-Identifier: MIT */
#ifndef CPU_CONV_WEIGHT_GRADIENT_ALGORITHM_H
#define CPU_CONV_WEIGHT_GRADIENT_ALGORITHM_H

#include "core/conv_shape.h"

typedef enum ConvWeightGradientAlgorithm {
    WEIGHT_GRADIENT_IMPLICIT, /* rung 3 */
    WEIGHT_GRADIENT_WINOGRAD, /* rung 4 */
    WEIGHT_GRADIENT_OFFSETS,  /* rung 5 */
    WEIGHT_GRADIENT_IN_PLACE, /* rung 6 */
    WEIGHT_GRADIENT_PLANES    /* rung 7 */
} ConvWeightGradientAlgorithm;

/* Depends on the shape alone. */
ConvWeightGradientAlgorithm conv_weight_gradient_algorithm(const ConvShape *shape);

#endif
