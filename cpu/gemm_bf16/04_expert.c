/* gemm_bf16, rung 4: expert.
 * Idea      what gemm's expert does, with pairs: threads, tiles as large as the edge of C leaves them, packing on vectors.
 * Before    rung 3 packs element by element, which next to a product of twice the speed is seen twice as much; it computes whole
 *           tiles at the edges, into a scratch, and has one thread.
 * Now       packing takes a vector of pairs at a time: two rows interleaved where a row of op(A)^T or op(B) lies along memory, a
 *           transposition of words where it lies across. Threads share the rows of C (cpu/five_loops.h).
 * Wants     nothing; one thread below PARALLEL_MIN multiplications.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/gemm_bf16/04_expert_tile.h"
#include "cpu/gemm_bf16/product.h"

/* A panel of B, TILE_COLUMNS wide, comes from the second cache as the one of A does: so deep, C comes and goes less often, and that
 * counts for more than having B in the first. M_BLOCK x K_BLOCK words of A are 0.8 MB. */
enum { M_BLOCK = 14 * TILE_ROWS, N_BLOCK = 2048, K_BLOCK = 1024 };

#define PARALLEL_MIN 4e6

static int
smaller(int a, int b)
{
    return a < b ? a : b;
}

/* A panel of A holds several tiles of equal width, the last one what is left. */
static int
tile_width(int rows)
{
    return parts_of(rows, parts_of(rows, TILE_ROWS));
}

static void
pack_a(const void *product, int m, int rows, int k, int K, void *panel)
{
    const Product *p = product;
    const WordPanel to = {panel, tile_width(rows), K};
    if (p->a_row == 1)
        words_pack_along(sizeof(Bf16), &to, product_a(p, m, 2 * k), p->a_k * sizeof(Bf16), rows,
                         product_elements(p, k, K));
    else
        words_pack_across(sizeof(Bf16), &to, product_a(p, m, 2 * k), p->a_row * sizeof(Bf16), rows,
                          product_elements(p, k, K));
}

static void
pack_b(const void *product, int n, int columns, int k, int K, void *panel)
{
    const Product *p = product;
    const WordPanel to = {panel, TILE_COLUMNS, K};
    if (p->b_column == 1)
        words_pack_along(sizeof(Bf16), &to, product_b(p, 2 * k, n), p->b_k * sizeof(Bf16), columns,
                         product_elements(p, k, K));
    else
        words_pack_across(sizeof(Bf16), &to, product_b(p, 2 * k, n), p->b_column * sizeof(Bf16), columns,
                          product_elements(p, k, K));
}

/* Tile by tile: a tile of B stays in the second cache, at the least, while those of A pass by. */
static void
compute(const void *product, const Part *part, const void *a, const void *b)
{
    const Product *p = product;
    Tile tile = {.K = part->K,
                 .width = tile_width(part->rows),
                 .alpha = p->alpha,
                 .beta = product_beta(p, part->k),
                 .ldc = p->ldc};
    for (int n = 0; n < part->columns; n += TILE_COLUMNS)
        for (int m = 0; m < part->rows; m += tile.width) {
            tile.rows = smaller(tile.width, part->rows - m);
            tile.columns = smaller(TILE_COLUMNS, part->columns - n);
            tile.a = (const uint32_t *)a + (size_t)m * (size_t)part->K;
            tile.b = (const uint32_t *)b + (size_t)n * (size_t)part->K;
            tile.c = product_c(p, part->m + m, part->n + n);
            gemm_bf16_tile(&tile);
        }
}

void
gemm_bf16_expert(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const Bf16 *A, int lda,
                 const Bf16 *B, int ldb, float beta, float *C, int ldc)
{
    const Product p = product_create(transpose_a, transpose_b, K, alpha, A, lda, B, ldb, beta, C, ldc);
    five_loops(&(FiveLoops){.M = M,
                            .N = N,
                            .K = parts_of(K, 2),
                            .tile_rows = (transpose_a ? 4 : 1) * TILE_ROWS,
                            .tile_columns = 2 * TILE_COLUMNS,
                            .M_block = M_BLOCK,
                            .N_block = N_BLOCK,
                            .K_block = K_BLOCK,
                            .pack_a = pack_a,
                            .pack_b = pack_b,
                            .compute = compute,
                            .product = &p,
                            .threads = (double)M * N * K < PARALLEL_MIN ? 1 : host_threads()});
}
