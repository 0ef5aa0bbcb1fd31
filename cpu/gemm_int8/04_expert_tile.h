/* The micro-kernel of rung 4: a tile of C of any number of rows and columns up to the largest.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_INT8_EXPERT_TILE_H
#define CPU_GEMM_INT8_EXPERT_TILE_H

#include "cpu/words.h"
#include <stdbool.h>

/* C[rows][columns] (+)= the sum over K quads of a b - zero_b sum of a - zero_a sum of b + corner. a is packed as [K][rows]
 * words, b as [K][TILE_COLUMNS]; the sums stand behind. All modulo 2^32. */
typedef struct Tile {
    int rows, columns, K;
    const uint32_t *a, *b;
    uint32_t zero_a, zero_b, corner;
    bool add;
    int32_t *c;
    size_t ldc;
} Tile;

void gemm_int8_tile(const Tile *tile);

#endif
