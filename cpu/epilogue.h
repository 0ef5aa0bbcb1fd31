/* The last step of the kernels that take an epilogue, on sums that they have just computed.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_EPILOGUE_H
#define CPU_EPILOGUE_H

#include "core/epilogue.h"
#include "core/vector.h"
#include <stddef.h>

/* The first `count` lanes of sum, outputs from column (or channel) o on, of which the first lies `at` behind the first of all
 * outputs. */
static inline Vector
epilogue_vector(const Epilogue *epilogue, int o, size_t at, int count, Vector sum)
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

/* The same for any number of outputs of one row, in y, where all outputs are. */
static inline void
epilogue_row(const Epilogue *epilogue, int o, size_t at, int count, float *y)
{
    for (int i = 0; epilogue != NULL && i < count; i += VECTOR_LANES) {
        const int lanes = count - i < VECTOR_LANES ? count - i : VECTOR_LANES;
        const Vector sum = vector_load_first(y + at + i, lanes);
        vector_store_first(y + at + i, epilogue_vector(epilogue, o + i, at + (size_t)i, lanes, sum), lanes);
    }
}

#endif
