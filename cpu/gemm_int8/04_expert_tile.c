/* The micro-kernels of rung 4, one for each number of rows and vectors: what is constant in each is written once.
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm_int8/04_expert_tile.h"
#include "cpu/gemm_int8/quads.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Into `lanes` lanes of c, or added to them. Bits go through functions for floats, which calculate nothing. */
ALWAYS_INLINE void
finish(Words sum, bool add, void *c, int lanes)
{
    if (add)
        sum += (Words)vector_load_first(c, lanes);
    vector_store_first(c, (Vector)sum, lanes);
}

ALWAYS_INLINE void
tile_of(const int rows, const int vectors, const Tile *tile)
{
    Words sum[TILE_ROWS][TILE_VECTORS] = {{{0}}}, row[TILE_VECTORS];
    const uint32_t *a = tile->a, *b = tile->b;
    for (int m = 0; m < rows; m++)
        for (int v = 0; v < vectors; v++)
            __builtin_prefetch(tile->c + (size_t)m * tile->ldc + v * VECTOR_LANES, 1);
    for (int k = 0; k < tile->K; k++, a += rows, b += TILE_COLUMNS) {
        for (int v = 0; v < vectors; v++)
            row[v] = words_load(b + v * VECTOR_LANES);
#pragma GCC unroll 14
        for (int m = 0; m < rows; m++)
            for (int v = 0; v < vectors; v++)
                sum[m][v] = quads_multiply_add(sum[m][v], words_splat(a[m]), row[v]);
    }
    const int last = tile->columns - (vectors - 1) * VECTOR_LANES; /* lanes of the last vector */
    for (int v = 0; v < vectors; v++)
        row[v] = tile->zero_a * words_load(b + v * VECTOR_LANES) - tile->corner;
#pragma GCC unroll 14
    for (int m = 0; m < rows; m++)
        for (int v = 0; v < vectors; v++)
            finish(sum[m][v] - tile->zero_b * a[m] - row[v], tile->add,
                   tile->c + (size_t)m * tile->ldc + v * VECTOR_LANES, v < vectors - 1 ? VECTOR_LANES : last);
}

void
gemm_int8_tile(const Tile *tile)
{
    WITH_CONSTANT_TILE(tile_of, tile)
}
