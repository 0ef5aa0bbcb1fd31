/* Rung 8 where B is taken panel by panel: all its rows of a block of k, and the columns of a tile.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_EXPERT_PANELS_H
#define CPU_GEMM_EXPERT_PANELS_H

#include "cpu/gemm/product.h"
#include <stdbool.h>

enum {
    K_BLOCK = 1024,        /* a packed panel of B is 256 KiB */
    K_BLOCK_IN_PLACE = 512 /* rows of B lie apart and share fewer places of the second cache */
};

/* A untransposed, where it lies; B packed, or untransposed and where it lies. On the calling thread. */
void multiply_packed_panels(const Product *product);
void multiply_panels_in_place(const Product *product);

/* Lines of memory that tiles ask for: in each row of a panel of B so many, from first on. first == NULL: nothing. */
typedef struct Ahead {
    const float *first;
    int lines;
} Ahead;

/* The lines of so many columns of B from n on, in rows k ..: all of them, and at most one that lies behind them, since rows may
 * begin anywhere in a line. To ask is not to read. */
Ahead ahead_of(const Product *product, int k, int n, int columns);

/* What tile i of so many asks for of all that: the first tiles, some lines each. */
Ahead ahead_share(Ahead all, int i, int tiles);

/* A transposed, and packed; B packed in blocks, if it shall be. */
void multiply_transposed(const Product *product, bool pack, int threads);

#endif
