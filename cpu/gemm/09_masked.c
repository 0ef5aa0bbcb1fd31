/* gemm, rung 9: masked edges.
 * Idea      micro_kernel.c has an instance for each number of rows and vectors, with a mask for the last vector. So an edge tile
 *           can have exactly the rows and columns that are left. Rows are divided equally among tiles.
 *
 *               rung 8, 16 x 20 x 16:   3 tiles of 6 x 64       rung 9:   3 tiles of 5 or 6 rows x 2 vectors
 *
 *                   20 columns                                            [ ######## | ##...... ]   nothing is copied; the mask of
 *               6 [ #####....................... ]                        [ ######## | ##...... ]   the last vector lets 4 of its
 *               6 [ #####....................... ]   # what is C          [ ######## | ##...... ]   16 lanes pass
 *               4 [ #####....................... ]   . padding
 *               2 [ ............................ ]
 *
 * Before    rung 8 computes whole tiles at the edges, and copies A, B and C for them.
 * Now       with one thread of a Zen 5, times rung 8 (AVX-512; AVX2):  16 x 16 x 16  4.9; 1.27      128 x 10 x 784  4.3; 1.24
 *           100 x 100 x 100  1.24 (AVX-512)      1024 x 1024 x 1024, where few tiles are edges  1.00; 1.00
 * Wants     nothing. Masks cost an instruction where a processor has mask registers (AVX-512), somewhat more with AVX2.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "core/workspace.h"
#include "cpu/gemm/pack.h"
#include "cpu/gemm/tiles.h"
#include "cpu/partition.h"

/* One panel of B, packed or in place (b == NULL), times all rows of A. */
static void
multiply_panel(const StridedGemm *p, const GemmBlock *block, const float *b)
{
    const int tiles = ceil_div(p->M, TILE_ROWS);
    for (int i = 0; i < tiles; i++) {
        const int m = partition_begin(i, tiles, p->M);
        Tile tile;
        tile_begin(&tile, p, m, block->n, block->k, block->K);
        tile.rows = partition_begin(i + 1, tiles, p->M) - m;
        if (b != NULL) {
            tile.b = b;
            tile.b_k = TILE_COLUMNS;
        }
        tiles_across(&tile, block->columns);
    }
}

static void
multiply(const StridedGemm *p)
{
    const bool pack = gemm_packing_pays(p);
    const int depth = smaller(p->K, K_BLOCK);
    float *const panel = workspace(sizeof(float) * (TILE_COLUMNS * (size_t)depth + VECTOR_LANES));
    GemmBlock block = {.rows = p->M};
    do { /* once also for K = 0: C = beta C */
        block.K = smaller(K_BLOCK, p->K - block.k);
        for (block.n = 0; block.n < p->N; block.n += TILE_COLUMNS) {
            block.columns = smaller(TILE_COLUMNS, p->N - block.n);
            if (pack)
                pack_panel(panel, TILE_COLUMNS, gemm_b(p, block.k, block.n), p->b_column, p->b_k, block.columns,
                           block.K);
            multiply_panel(p, &block, pack ? panel : NULL);
        }
        block.k += K_BLOCK;
    } while (block.k < p->K);
}

void
gemm_masked(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
            const float *B, int ldb, float beta, float *C, int ldc)
{
    gemm_by_blocks(multiply, transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}
