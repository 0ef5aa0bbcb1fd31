/* From a product to its tiles: what rungs 8 to 12 share, and what rung 12 uses of rungs 10 and 11.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_TILES_H
#define CPU_GEMM_TILES_H

#include "core/vector.h"
#include "cpu/gemm/micro_kernel.h"
#include "cpu/gemm/threads.h"

/* ---- rung 8: in place ---- */

enum { K_BLOCK = 1024 }; /* rows of a packed panel of B: of 64 columns, 256 KiB */

/* Whether rungs 8 to 11 pack B: it is transposed, or larger than L2 and used by many rows of C. 08_in_place.c has both. */
bool gemm_packing_pays(const StridedGemm *product);

/* A rung's product: multiply() for each thread's block of C. For a transposed A it is rung 7's, which packs both operands. The
 * other parameters are those of Gemm. */
void gemm_by_blocks(MultiplyBlock *multiply, bool transpose_a, bool transpose_b, int M, int N, int K, float alpha,
                    const float *A, int lda, const float *B, int ldb, float beta, float *C, int ldc);

/* ---- a tile, its operands in place ---- */

/* Makes a tile of the product from row m, column n on, with K terms of its sums from k on. Its rows and columns are left to the
 * caller. Field by field: one compound literal of all fields would be built elsewhere and copied, and wide loads would wait
 * for the narrow stores before them (store forwarding). */
static inline void
tile_begin(Tile *tile, const StridedGemm *p, int m, int n, int k, int K)
{
    *tile = (Tile){0};
    tile->K = K;
    tile->a = gemm_a(p, m, k);
    tile->b = gemm_b(p, k, n);
    tile->a_row = p->a_row;
    tile->a_k = p->a_k;
    tile->b_k = p->b_k;
    tile->alpha = p->alpha;
    tile->beta = gemm_beta(p, k);
    tile->c = gemm_c(p, m, n);
    tile->ldc = p->ldc;
    if (k + K == p->K) {
        tile->epilogue = p->epilogue;
        tile->first_column = p->first_n + n;
        tile->output_index = p->first_c + (size_t)m * p->ldc + (size_t)n;
    }
}

/* `columns` columns from where the tile begins, one tile after the other; it ends behind them. In rungs 9 to 11 one tile does, as
 * columns <= TILE_COLUMNS; panels of rung 12 may be wider. */
static inline void
tiles_across(Tile *tile, int columns)
{
    for (int n = 0; n < columns; n += tile->columns) {
        tile->columns = tile_columns(columns - n);
        tile_compute(tile);
        tile->b += tile->columns;
        tile->c += tile->columns;
        tile->first_column += tile->columns;
        tile->output_index += (size_t)tile->columns;
    }
}

/* ---- rung 10: prefetch ---- */

enum {
    BEYOND_L2 = 1 << 18, /* elements: 1 MiB */
    BEYOND_L3 = 7 << 19  /* elements of A and C: 14 MiB, of which a shared L3 may keep little; measured */
};

static inline bool
gemm_is_beyond_l3(const StridedGemm *p)
{
    return (size_t)p->M * ((size_t)p->N + (size_t)p->K) > BEYOND_L3;
}

/* Lets the tile prefetch C and the next rows of A where these come from L3 or memory. */
static inline void
tile_prefetch(Tile *tile, const StridedGemm *p)
{
    const size_t M = (size_t)p->M, N = (size_t)p->N, K = (size_t)p->K;
    tile->beyond_l2 = M * N + M * K + K * N > BEYOND_L2;
    tile->beyond_l3 = gemm_is_beyond_l3(p);
}

/* Cache lines that tiles prefetch while they compute: in each row of a panel of B, `lines` lines from first on. first == NULL:
 * none. */
typedef struct Prefetch {
    const float *first;
    int lines;
} Prefetch;

/* The lines of `columns` columns of B from n on, in rows k ..: all of them, and at most one behind them, since rows may begin
 * anywhere in a line. Prefetches cannot fault. */
Prefetch prefetch_of_panel(const StridedGemm *product, int k, int n, int columns);

/* What tile i of `tiles` prefetches of these: an equal number of lines each, until none are left. */
Prefetch prefetch_of_tile(Prefetch all, int i, int tiles);

/* A panel of B, block->columns columns of rows block->k .., times rows block->m .. of A, which are divided equally among tiles
 * of at most tile_rows rows. a, b: packed, or NULL: in place; a[k][block->rows] is a panel of the five loops, which only rung 12
 * has. The tiles prefetch `next`. */
void gemm_multiply_panel(const StridedGemm *product, const GemmBlock *block, int tile_rows, const float *a,
                         const float *b, Prefetch next);

/* A block of C as rung 10 computes it, on the calling thread; op(A) as stored. */
void gemm_multiply_prefetch(const StridedGemm *block);

/* ---- rung 11: tall and skinny ---- */

enum {
    INNER_K = 1280,     /* length of an inner product's block of k */
    INNER_COLUMNS = 10, /* at most */
    /* From one copied column to the next: a multiple of 1 KiB apart, columns would map to the same few sets of L1. */
    INNER_STRIDE = INNER_K + VECTOR_LANES
};

/* The number of edge columns that are faster as inner products than as a partial vector: 0 to INNER_COLUMNS. */
int inner_count(const StridedGemm *product);

/* Columns n .. n + columns - 1 of C, all rows, by inner products; columns as inner_count() says. */
void inner_columns(const StridedGemm *product, int n, int columns);

/* The same in two steps, for a block of k of at most INNER_K. First copy columns of B, then compute rows m .. m + rows - 1 of
 * C, and others: b[j * INNER_STRIDE + i] = B(k + i, n + j), zeros up to the next vector. */
typedef struct DotColumns {
    int n, columns, k, K;
    float b[INNER_COLUMNS * INNER_STRIDE] __attribute__((aligned(64)));
} DotColumns;

void inner_begin(DotColumns *inner, const StridedGemm *product, int n, int columns, int k, int K);
void inner_rows(const DotColumns *inner, const StridedGemm *product, int m, int rows);

/* One row of C: M is 1, B is not transposed. */
void gemm_multiply_row(const StridedGemm *product);

#endif
