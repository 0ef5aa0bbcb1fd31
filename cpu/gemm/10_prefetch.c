/* gemm, rung 10: software prefetch.
 * Idea      load into cache what the hardware prefetcher does not foresee, while tiles compute.
 *
 *               C                    a tile touches it once, after the k loop: prefetch it before the loop, and again near
 *                                    its end, in case it was evicted meanwhile
 *               A, next tile         its rows begin in new pages, where the hardware prefetcher stops: one line of each per 16 k
 *               B in place           a panel's lines are a row of B apart, a stride that defeats the hardware prefetcher: while a
 *                                    panel is multiplied, the tiles prefetch the next one, a few lines for each k
 *
 *                     n ->   panel   next panel
 *                   k     [ ######## | lines.. |             step k of the first tile of rows:    lines 0, 1 of row k
 *                         [ ######## | lines.. |             step k of the second:                lines 2, 3
 *
 *           A tile prefetches C and either A's next rows or, where B is in place, the next panel. A few lines per k, since a core
 *           can wait for only some ten to twenty lines at once, and drops other prefetches.
 * Before    rung 9 waits for L3 or memory at the first access to each row of C, of A and of a panel of B.
 * Now       with one thread of a Zen 5, times rung 9 (AVX-512; AVX2):  2 x 4096 x 4096  1.8; 2.0      1 x 1024 x 1024  1.15; 1.2
 *           With AVX-512: 20000 x 65 x 1152  1.08      2048 x 2048 x 2048  1.04      all operands in L2  1.00
 * Wants     nothing. Where everything is in L2 nothing is prefetched; it would only take issue slots.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "core/workspace.h"
#include "cpu/gemm/pack.h"
#include "cpu/gemm/tiles.h"
#include "cpu/partition.h"
#include <stdint.h>

Prefetch
prefetch_of_panel(const StridedGemm *p, int k, int n, int columns)
{
    if (n >= p->N)
        return (Prefetch){0};
    const float *first = gemm_b(p, k, n);
    const bool aligned = p->b_k % TILE_LINE == 0 && (uintptr_t)first % (TILE_LINE * sizeof(float)) == 0;
    return (Prefetch){first, ceil_div(smaller(columns, p->N - n), TILE_LINE) + !aligned};
}

Prefetch
prefetch_of_tile(Prefetch all, int i, int tiles)
{
    const int lines = ceil_div(all.lines, tiles), before = i * lines;
    if (before >= all.lines)
        return (Prefetch){0};
    return (Prefetch){all.first + (size_t)before * TILE_LINE, smaller(lines, all.lines - before)};
}

void
gemm_multiply_panel(const StridedGemm *p, const GemmBlock *block, int tile_rows, const float *a, const float *b,
                    Prefetch next)
{
    const int tiles = ceil_div(block->rows, tile_rows), fewest = block->rows / tiles, more = block->rows % tiles;
    for (int i = 0, m = 0; i < tiles; i++) {
        const Prefetch prefetch = prefetch_of_tile(next, i, tiles);
        Tile tile;
        tile_begin(&tile, p, block->m + m, block->n, block->k, block->K);
        tile_prefetch(&tile, p);
        tile.rows = fewest + (i < more);
        if (a != NULL) {
            tile.a = a + m;
            tile.a_row = 1;
            tile.a_k = (size_t)block->rows;
        }
        if (b != NULL) {
            tile.b = b;
            tile.b_k = TILE_COLUMNS;
        }
        tile.next = prefetch.first;
        tile.next_step = p->b_k;
        tile.next_lines = prefetch.lines;
        m += tile.rows;
        tiles_across(&tile, block->columns);
    }
}

void
gemm_multiply_prefetch(const StridedGemm *p)
{
    const bool pack = gemm_packing_pays(p), prefetch_b = !pack && (double)p->K * p->N > BEYOND_L2;
    const int depth = smaller(p->K, K_BLOCK);
    float *const panel = workspace(sizeof(float) * (TILE_COLUMNS * (size_t)depth + VECTOR_LANES));
    GemmBlock block = {.rows = p->M};
    do { /* once also for K = 0: C = beta C */
        block.K = smaller(K_BLOCK, p->K - block.k);
        for (block.n = 0; block.n < p->N; block.n += TILE_COLUMNS) {
            Prefetch next = {0};
            block.columns = smaller(TILE_COLUMNS, p->N - block.n);
            if (pack)
                pack_panel(panel, TILE_COLUMNS, gemm_b(p, block.k, block.n), p->b_column, p->b_k, block.columns,
                           block.K);
            if (prefetch_b)
                next = prefetch_of_panel(p, block.k, block.n + TILE_COLUMNS, TILE_COLUMNS);
            gemm_multiply_panel(p, &block, TILE_ROWS, NULL, pack ? panel : NULL, next);
        }
        block.k += K_BLOCK;
    } while (block.k < p->K);
}

void
gemm_prefetch(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
              const float *B, int ldb, float beta, float *C, int ldc)
{
    gemm_by_blocks(gemm_multiply_prefetch, transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}
