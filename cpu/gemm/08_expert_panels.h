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

/* A transposed, and packed; B packed in blocks, if it shall be. */
void multiply_transposed(const Product *product, bool pack, int threads);

#endif
