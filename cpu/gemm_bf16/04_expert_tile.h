/* The micro-kernel of rung 4: a tile of C of any number of rows and columns up to the largest.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_BF16_EXPERT_TILE_H
#define CPU_GEMM_BF16_EXPERT_TILE_H

#include "cpu/words.h"

/* C[rows][columns] = alpha sum over K pairs of a b + beta C. a is packed as [K][rows] words, b as [K][TILE_COLUMNS]. */
typedef struct Tile {
    int rows, columns, K;
    const uint32_t *a, *b;
    float alpha, beta;
    float *c;
    size_t ldc;
} Tile;

void gemm_bf16_tile(const Tile *tile);

#endif
