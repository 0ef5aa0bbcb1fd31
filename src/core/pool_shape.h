/* The shape of a pooling operation: what kernels (cpu/pool/pool.h) and networks (nn/backend.h) both have to know.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_POOL_SHAPE_H
#define CORE_POOL_SHAPE_H

#include "core/sliding_window.h"

typedef struct PoolShape {
    int batch, height, width, channels;
    int out_height, out_width; /* those of window_outputs, or one more whose window begins inside and ends outside */
    Window window;
} PoolShape;

#endif
