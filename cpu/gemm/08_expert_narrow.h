/* The last few columns of C, too few to fill a vector.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_EXPERT_NARROW_H
#define CPU_GEMM_EXPERT_NARROW_H

#include "core/vector.h"
#include "cpu/gemm/product.h"

enum {
    NARROW_K = 1280,     /* of a sum at a time */
    NARROW_COLUMNS = 10, /* at most */
    /* From one copied column to the next: a multiple of 1 KiB apart, columns would share places of the first cache. */
    NARROW_STEP = NARROW_K + VECTOR_LANES
};

/* How many of the product's last columns are better computed as inner products than as part of a vector: 0 to NARROW_COLUMNS. */
int narrow_count(const Product *product);

/* Columns n .. n + columns - 1 of C, all rows; as many as narrow_count() says. */
void narrow_columns(const Product *product, int n, int columns);

/* What a part gives of its columns; K <= NARROW_K. */
void narrow_part(const Product *product, const Part *part);

/* The same in two steps. First columns of B are copied, then rows m .. m + rows - 1 of C computed, and others:
 * b[j * NARROW_STEP + i] = B(k + i, n + j), zeros up to the next vector. */
typedef struct Narrow {
    int n, columns, k, K;
    float b[NARROW_COLUMNS * NARROW_STEP] __attribute__((aligned(64)));
} Narrow;

void narrow_begin(Narrow *narrow, const Product *product, int n, int columns, int k, int K);
void narrow_rows(const Narrow *narrow, const Product *product, int m, int rows);

#endif
