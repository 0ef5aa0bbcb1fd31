/* gemm_bf16, rung 4: expert.
 * Idea      what gemm's expert does, with pairs: threads, tiles as large as the edge of C leaves them, packing on vectors.
 * Before    rung 3 packs element by element, which next to a product of twice the speed is seen twice as much; it computes
 *           whole tiles at the edges, into a scratch, and has one thread.
 * Now       packing takes a vector of pairs at a time: two rows interleaved where a row of op(A)^T or op(B) lies along memory,
 *           a transposition of words where it lies across. Threads share rows or columns of C (cpu/five_loops.h).
 * Wants     nothing; one thread below PARALLEL_MIN multiplications.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/gemm_bf16/04_expert_tile.h"
#include "cpu/gemm_bf16/product.h"
#include "cpu/partition.h"

/* B is packed two tiles at a time: 128 bytes of each row of B, two whole cache lines. A tile of A and one of B come from the
 * second cache, not the first: deep blocks read and write C fewer times, which counts for more. M_BLOCK x K_BLOCK words of A
 * are 0.8 MB, N_BLOCK x K_BLOCK of B 8 MB. To pack a transposed A is to go to another page of memory for each k, and so it is
 * done once for more columns. */
enum { M_BLOCK = 14 * TILE_ROWS, N_BLOCK = 2048, K_BLOCK = 1024 };
#define PARALLEL_MIN 4e6

static void
pack_a(const void *product, int m, int rows, int k, int K, void *panel)
{
    const Product *p = product;
    const WordPanel to = {panel, rows, K};
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

static void
compute(const void *product, const Part *part, const void *a, const void *b)
{
    const Product *p = product;
    Tile tile = {
        .rows = part->rows, .a = a, .K = part->K, .alpha = p->alpha, .beta = product_beta(p, part->k), .ldc = p->ldc};
    for (int n = 0; n < part->columns; n += TILE_COLUMNS) {
        tile.columns = smaller(TILE_COLUMNS, part->columns - n);
        tile.b = (const uint32_t *)b + (size_t)n * (size_t)part->K;
        tile.c = product_c(p, part->m, part->n + n);
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
                            .K = ceil_div(K, 2),
                            .tile_rows = TILE_ROWS,
                            .tile_columns = 2 * TILE_COLUMNS,
                            .M_block = M_BLOCK,
                            .N_block = transpose_a ? 2 * N_BLOCK : N_BLOCK,
                            .K_block = K_BLOCK,
                            .pack_a = pack_a,
                            .pack_b = pack_b,
                            .compute = compute,
                            .product = &p,
                            .threads = (double)M * N * K < PARALLEL_MIN ? 1 : host_threads()});
}
