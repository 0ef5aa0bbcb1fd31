/* The micro-kernel: a tile of C of any number of rows and columns up to the largest. Rungs 8 to 12 are made of it, and so is
 * convolution. micro_kernel.c is read from top to bottom.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_MICRO_KERNEL_H
#define CPU_GEMM_MICRO_KERNEL_H

#include "core/epilogue.h"
#include "core/vector.h"
#include <stdbool.h>
#include <stddef.h>

/* How many sums (accumulators) there are registers for, beside vectors of B and an element of A, and the tile of packed panels. Of
 * 32 registers 6 x 4 + 4 + 1 = 29 are used, and 24 FMAs need 10 loads. 7 x 4 would need 33: a vector of B is then loaded again for
 * each row. With 16 registers there is room for 6 x 2. Papers call TILE_ROWS m_r, TILE_COLUMNS n_r and K_BLOCK (tiles.h) k_c. */
#if VECTOR_BYTES == 64 || defined(__aarch64__)
enum { TILE_SUMS = 24, TILE_VECTORS = 4 };
#else
enum { TILE_SUMS = 12, TILE_VECTORS = 2 };
#endif
enum {
    TILE_ROWS = TILE_SUMS / TILE_VECTORS,
    TILE_COLUMNS = TILE_VECTORS * VECTOR_LANES,
    TILE_ROWS_MAX = 16,            /* of tiles of 1 vector */
    TILE_LINE = 64 / sizeof(float) /* floats in a cache line */
};

/* C[rows][columns] = alpha sum over k of a(m, k) b(k, n) + beta C. */
typedef struct Tile {
    int rows, columns, K;
    const float *a, *b; /* a(m, k) = a[m * a_row + k * a_k], b(k, n) = b[k * b_k + n] */
    size_t a_row, a_k, b_k;
    float alpha, beta;
    float *c;
    size_t ldc;
    bool beyond_l2; /* C and A come from L3 or memory: tiles of TILE_COLUMNS prefetch them */
    bool beyond_l3; /* from memory: tiles of any other width, too */
    /* Not NULL: needed by a later tile. For each k, next_lines cache lines from next + k * next_step on are prefetched. */
    const float *next;
    size_t next_step;
    int next_lines;
    const int *offset;        /* not NULL: a(m, k) = a[m * a_row + offset[k]], for operands that no stride describes */
    const Epilogue *epilogue; /* or NULL */
    int first_column;         /* of the tile in the whole C, for the epilogue */
    size_t output_index;      /* of the tile's first element in the whole C, for the epilogue */
} Tile;

/* The columns of the next tile where `left` columns are left: 8 vectors, of which the last may be masked, or 4, or what is left, up
 * to 4. */
static inline int
tile_columns(int left)
{
    return left > 7 * VECTOR_LANES && left < 8 * VECTOR_LANES ? left
           : left >= 8 * VECTOR_LANES                         ? 8 * VECTOR_LANES
           : left > 4 * VECTOR_LANES                          ? 4 * VECTOR_LANES
                                                              : left;
}

/* Computes a tile; columns as tile_columns() says, rows <= TILE_ROWS_MAX, rows * vectors <= TILE_SUMS. */
void tile_compute(const Tile *tile);

#endif
