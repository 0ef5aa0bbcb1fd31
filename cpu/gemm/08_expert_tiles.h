/* The tiles of rung 8: where they come from, and which ones suit a product whose operands stay where they lie.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_EXPERT_TILES_H
#define CPU_GEMM_EXPERT_TILES_H

#include "cpu/float_tile.h"
#include "cpu/gemm/product.h"

enum {
    FAR = 1 << 18,        /* elements of a product that fill the second cache */
    FROM_MEMORY = 7 << 19 /* elements of A and C, 14 MiB, of which the shared cache may keep little: measured */
};

/* Whether the product is larger than the second cache. */
static inline bool
product_is_far(const Product *p)
{
    const size_t M = (size_t)p->M, N = (size_t)p->N, K = (size_t)p->K;
    return M * N + M * K + K * N > FAR;
}

/* Whether A and C are so large that they come from memory. */
static inline bool
product_is_from_memory(const Product *p)
{
    return (size_t)p->M * ((size_t)p->N + (size_t)p->K) > FROM_MEMORY;
}

/* Makes a tile of the product from row m, column n on, with K terms of its sums from k on, operands where they lie. Its rows and
 * columns are left to the caller. Field by field: one compound literal of all fields would be built elsewhere and copied, and wide
 * loads of what narrow stores have just written wait for them (store forwarding). */
static inline void
tile_begin(Tile *tile, const Product *p, int m, int n, int k, int K)
{
    *tile = (Tile){0};
    tile->K = K;
    tile->a = product_a(p, m, k);
    tile->b = product_b(p, k, n);
    tile->a_row = p->a_row;
    tile->a_k = p->a_k;
    tile->b_k = p->b_k;
    tile->alpha = p->alpha;
    tile->beta = product_beta(p, k);
    tile->c = product_c(p, m, n);
    tile->ldc = p->ldc;
    tile->far = product_is_far(p);
    tile->from_memory = product_is_from_memory(p);
    if (k + K == p->K) {
        tile->epilogue = p->epilogue;
        tile->o = p->first_n + n;
        tile->at = p->first_c + (size_t)m * p->ldc + (size_t)n;
    }
}

/* So many columns from where the tile begins, one tile after the other; it ends behind them. */
static inline void
tiles_across(Tile *tile, int columns)
{
    for (int n = 0; n < columns; n += tile->columns) {
        tile->columns = tile_columns(columns - n);
        tile_compute(tile);
        tile->b += tile->columns;
        tile->c += tile->columns;
        tile->o += tile->columns;
        tile->at += (size_t)tile->columns;
    }
}

/* Vectors in a row of a tile where B lies, and rows of a tile of so many vectors. */
int vectors_in_place(const Product *product);
int rows_in_place(const Product *product, int vectors);

#endif
