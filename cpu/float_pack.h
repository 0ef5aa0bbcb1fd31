/* Packing of floats, whole vectors at a time, transposed in registers where the operand lies across: what rung 8 of cpu/gemm and
 * convolution pack by.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_FLOAT_PACK_H
#define CPU_FLOAT_PACK_H

#include <stddef.h>

/* panel[k][width] = x(i, k) = x[i * x_i + k * x_k] for i < count <= width, zeros up to the next vector. One of the strides is 1.
 * Up to VECTOR_LANES - 1 floats behind the panel are overwritten. */
void pack_panel(float *panel, int width, const float *x, size_t x_i, size_t x_k, int count, int K);

#endif
