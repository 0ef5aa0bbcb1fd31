/* What is done to the sums of a matrix product or a convolution while they are still in registers or in the L1 cache, instead
 * of in passes of their own: y = relu(sum + bias + residual). What kernels (cpu/epilogue.h) and networks (nn/backend.h) both have
 * to know.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_EPILOGUE_H
#define CORE_EPILOGUE_H

#include <stdbool.h>

typedef struct Epilogue {
    const float *bias;     /* one for each column, or output channel; or NULL */
    const float *residual; /* laid out as y, or NULL */
    bool relu;             /* NaN stays NaN */
} Epilogue;

#endif
