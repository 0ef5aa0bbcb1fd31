/* Which way rung 8 goes. SPDX-License-Identifier: MIT */
#ifndef CPU_CONV_WAY_H
#define CPU_CONV_WAY_H

#include "core/conv_shape.h"

typedef enum ConvWay {
    CONV_GEMM,         /* x is the matrix of patches: gemm */
    CONV_IM2COL,       /* rung 2 */
    CONV_BLOCKS,       /* patches of a block of pixels at a time, in each thread's second cache */
    CONV_WINOGRAD_2x2, /* rung 4 */
    CONV_WINOGRAD_4x4, /* rung 5 */
    CONV_OFFSETS,      /* rung 6 */
    CONV_PLANES        /* rung 7 */
} ConvWay;

/* Depends on the shape alone. */
ConvWay conv_expert_way(const ConvShape *shape);

#endif
