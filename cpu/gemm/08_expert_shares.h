/* A product shared by threads: each takes some of the rows of C, or some of its columns, in whole tiles, as a product of its own.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_EXPERT_SHARES_H
#define CPU_GEMM_EXPERT_SHARES_H

#include "cpu/gemm/product.h"
#include <stdbool.h>

/* A share of rows has at least so many, if C has: then no share falls below what a way of multiplying asks for, and the way does
 * not depend on the number of threads. */
enum { SHARE_ROWS = 8 };

typedef void MultiplyShare(const Product *share);

/* Calls multiply() once for each share that is not empty, on so many threads or fewer: on this one inside a parallel
 * region. */
void product_share(const Product *product, MultiplyShare *multiply, bool by_columns, int threads);

#endif
