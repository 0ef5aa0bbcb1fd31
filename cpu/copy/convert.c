/* Copies between float and narrower types: see copy.h.
 * SPDX-License-Identifier: MIT */
#include "core/bf16.h"
#include "core/fp16.h"
#include "cpu/chunks.h"
#include "cpu/copy/copy.h"

static void
narrow_part(NumberType type, size_t n, const float *x, void *y, size_t first)
{
    if (type == NUMBER_FP32)
        memcpy((float *)y + first, x, n * sizeof(float));
    else if (type == NUMBER_BF16)
        bf16_from_floats((Bf16 *)y + first, x, n);
    else
        for (size_t i = 0; i < n; i++)
            ((Fp16 *)y)[first + i] = fp16_from_float(x[i]);
}

static void
widen_part(NumberType type, size_t n, const void *x, size_t first, float *y)
{
    if (type == NUMBER_FP32)
        memcpy(y, (const float *)x + first, n * sizeof(float));
    else if (type == NUMBER_BF16)
        bf16_to_floats(y, (const Bf16 *)x + first, n);
    else
        for (size_t i = 0; i < n; i++)
            y[i] = fp16_to_float(((const Fp16 *)x)[first + i]);
}

void
narrow_array(NumberType type, size_t n, const float *x, void *y)
{
    IN_CHUNKS(n, first, count, narrow_part(type, count, x + first, y, first));
}

void
widen_array(NumberType type, size_t n, const void *x, float *y)
{
    IN_CHUNKS(n, first, count, widen_part(type, count, x, first, y + first));
}
