/* The algorithm that rung 8 chooses. SPDX-License-Identifier: MIT */
#ifndef CPU_CONV_ALGORITHM_H
#define CPU_CONV_ALGORITHM_H

#include "core/conv_shape.h"

typedef enum ConvAlgorithm {
    CONV_GEMM,         /* x is the matrix of patches: gemm */
    CONV_IM2COL,       /* rung 2 */
    CONV_BLOCKS,       /* patches of a block of pixels at a time, in each thread's L2 cache */
    CONV_WINOGRAD_2x2, /* rung 4 */
    CONV_WINOGRAD_4x4, /* rung 5 */
    CONV_OFFSETS,      /* rung 6 */
    CONV_PLANES        /* rung 7 */
} ConvAlgorithm;

/* Depends on the shape alone. */
ConvAlgorithm conv_expert_algorithm(const ConvShape *shape);

#endif
