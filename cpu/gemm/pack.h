/* Packing: panels of A and B, copied into the order in which a micro-kernel reads them.
 *
 *     A panel of A is  [k][rows]      a00 a10 a20 a30 | a01 a11 a21 a31 | ..    read sequentially, one k after the other
 *     A panel of B is  [k][columns]   b00 b01 b02 ..  | b10 b11 b12 ..  | ..
 *
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_PACK_H
#define CPU_GEMM_PACK_H

#include <stddef.h>

/* Element by element, as rungs 5 to 8 do it: panels of whole tiles, padded with zeros where the matrix ends, so that one
 * micro-kernel serves all edges. panel[k][width] from x(i, k) = x[i * x_i + k * x_k], i < count; zeros for the others. */
static inline void
pack_padded(float *restrict panel, int width, const float *restrict x, size_t x_i, size_t x_k, int count, int K)
{
    for (int k = 0; k < K; k++, panel += width, x += x_k) {
        for (int i = 0; i < count; i++)
            panel[i] = x[(size_t)i * x_i];
        for (int i = count; i < width; i++)
            panel[i] = 0.0f;
    }
}

/* Whole vectors at a time; a transposed operand is transposed in registers. panel[k][width] = x(i, k) for i < count <= width,
 * zeros up to the next vector. One of the strides is 1. Up to VECTOR_LANES - 1 floats behind the panel are overwritten. */
void pack_panel(float *panel, int width, const float *x, size_t x_i, size_t x_k, int count, int K);

#endif
