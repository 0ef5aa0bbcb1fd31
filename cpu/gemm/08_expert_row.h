/* A product with one row.
 *
 *     C = a B: four rows of B are read at once, each one a stream, and added to a part of C that stays in the first cache. Tiles
 *     would read B in pieces of 8 vectors, each from another page.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_EXPERT_ROW_H
#define CPU_GEMM_EXPERT_ROW_H

#include "cpu/gemm/product.h"

/* M is 1, B not transposed. */
void multiply_row(const Product *product);

#endif
