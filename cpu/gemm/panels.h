/* Packing as rungs 5 to 7 do it: panels of whole tiles, zeros where the matrix ends, so that one micro-kernel serves all edges.
 *
 *     A panel of A is  [k][ROWS]     a00 a10 a20 a30 | a01 a11 a21 a31 | ..    read in one stream by the micro-kernel
 *     A panel of B is  [k][COLUMNS]  b00 b01 b02 ..  | b10 b11 b12 ..  | ..
 *
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_PANELS_H
#define CPU_GEMM_PANELS_H

#include "cpu/gemm/product.h"

/* panel[k][width] from x(i, k) = x[i * x_i + k * x_k], i < count; zeros for the others. */
static inline void
panel_pack(float *restrict panel, int width, const float *restrict x, size_t x_i, size_t x_k, int count, int K)
{
    for (int k = 0; k < K; k++, panel += width, x += x_k) {
        for (int i = 0; i < count; i++)
            panel[i] = x[(size_t)i * x_i];
        for (int i = count; i < width; i++)
            panel[i] = 0.0f;
    }
}

#endif
