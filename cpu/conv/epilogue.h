/* The last step of every rung: bias, residual and ReLU, on outputs that the rung has just computed and that are still in registers
 * or in cache.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_CONV_EPILOGUE_H
#define CPU_CONV_EPILOGUE_H

#include "core/conv_shape.h"
#include "core/vector.h"

/* The first `count` lanes of sum, outputs of one pixel from channel o on, of which the first lies `at` behind the first of all
 * outputs. NaN stays NaN. */
static inline Vector
conv_finish_vector(const ConvEpilogue *epilogue, int o, size_t at, int count, Vector sum)
{
    if (epilogue == NULL)
        return sum;
    if (epilogue->bias != NULL)
        sum += vector_load_first(epilogue->bias + o, count);
    if (epilogue->residual != NULL)
        sum += vector_load_first(epilogue->residual + at, count);
    if (epilogue->relu)
        sum = (Vector)((VectorMask)sum & ~(VectorMask)(sum < (Vector){0}));
    return sum;
}

/* The same for any number of outputs of one pixel, in y, where all outputs are. */
static inline void
conv_finish(const ConvEpilogue *epilogue, int o, size_t at, int count, float *y)
{
    for (int i = 0; epilogue != NULL && i < count; i += VECTOR_LANES) {
        const int lanes = count - i < VECTOR_LANES ? count - i : VECTOR_LANES;
        const Vector sum = vector_load_first(y + at + i, lanes);
        vector_store_first(y + at + i, conv_finish_vector(epilogue, o + i, at + (size_t)i, lanes, sum), lanes);
    }
}

#endif
