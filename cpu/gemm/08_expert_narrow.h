/* The last few columns of C, too few to fill a vector.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_EXPERT_NARROW_H
#define CPU_GEMM_EXPERT_NARROW_H

#include "cpu/gemm/product.h"

enum { NARROW_K = 1024 }; /* of a sum at a time */

/* How many of the product's last columns are better computed as inner products than as part of a vector: 0 to 10. */
int narrow_count(const Product *product);

/* Columns n .. n + columns - 1 of C, all rows; as many as narrow_count() says. */
void narrow_columns(const Product *product, int n, int columns);

#endif
