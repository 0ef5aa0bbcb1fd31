/* The micro-kernels of rung 4, one for each number of rows and vectors: what is constant in each is written once.
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm_bf16/04_expert_tile.h"
#include "cpu/gemm_bf16/pairs.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* alpha sum + beta c into `lanes` lanes of c. */
ALWAYS_INLINE void
finish(Vector sum, float alpha, float beta, float *c, int lanes)
{
    Vector result = alpha * sum;
    if (beta != 0.0f)
        result += beta * vector_load_first(c, lanes);
    vector_store_first(c, result, lanes);
}

ALWAYS_INLINE void
tile_of(const int rows, const int vectors, const Tile *tile)
{
    Vector sum[TILE_ROWS][TILE_VECTORS] = {{{0}}};
    Words row[TILE_VECTORS];
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
                sum[m][v] = pairs_multiply_add(sum[m][v], words_splat(a[m]), row[v]);
    }
    const int last = tile->columns - (vectors - 1) * VECTOR_LANES; /* lanes of the last vector */
#pragma GCC unroll 14
    for (int m = 0; m < rows; m++)
        for (int v = 0; v < vectors; v++)
            finish(sum[m][v], tile->alpha, tile->beta, tile->c + (size_t)m * tile->ldc + v * VECTOR_LANES,
                   v < vectors - 1 ? VECTOR_LANES : last);
}

void
gemm_bf16_tile(const Tile *tile)
{
    WITH_CONSTANT_TILE(tile_of, tile)
}
