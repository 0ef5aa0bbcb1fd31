/* gemm_int8, rung 4: expert.
 * Idea      what gemm's expert does, with quads: threads, tiles as large as the edge of C leaves them, packing on vectors.
 * Before    rung 3 packs byte by byte, which next to a product of four times the speed is seen four times as much; it computes
 *           whole tiles at the edges, into a scratch, and has one thread.
 * Now       packing takes a vector of quads at a time: four rows interleaved where op(A)^T or op(B) lies along memory, a
 *           transposition of words where it lies across. The sums are multiply-adds of the packed words with ones. Threads
 *           share rows or columns of C (cpu/five_loops.h).
 * Wants     nothing; one thread below PARALLEL_MIN multiplications.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/gemm_int8/04_expert_tile.h"
#include "cpu/gemm_int8/product.h"
#include "cpu/gemm_int8/quads.h"
#include "cpu/partition.h"

/* B is packed two tiles at a time: 64 bytes of each row of B, a whole cache line. A tile of A and one of B come from the second
 * cache, not the first: deep blocks read and write C fewer times, which counts for more. M_BLOCK x K_BLOCK words of A are 0.8
 * MB, N_BLOCK x K_BLOCK of B 8 MB. To pack a transposed A is to go to another page of memory for each k, and so it is done once
 * for more columns. */
enum { M_BLOCK = 14 * TILE_ROWS, N_BLOCK = 2048, K_BLOCK = 1024 };
#define PARALLEL_MIN 8e6

/* Four elements of each row of A (or column of B) more. */
static inline Words
add_word(const bool of_b, Words sums, const uint32_t *panel)
{
    const Words ones = words_splat(0x01010101), word = words_load(panel);
    return of_b ? quads_multiply_add(sums, ones, word) : quads_multiply_add(sums, word, ones);
}

/* Behind the words of a tile of A (or of B): the sum of each row's (column's) elements. Four are under way at once. */
static inline void
add_up_tile(const bool of_b, uint32_t *tile, size_t width, int words)
{
    for (size_t i = 0; i < width; i += VECTOR_LANES) {
        Words sums[4] = {{0}};
        uint32_t *at = tile + i;
        int k = 0;
        for (; k + 4 <= words; k += 4, at += 4 * width)
#pragma GCC unroll 4
            for (size_t j = 0; j < 4; j++)
                sums[j] = add_word(of_b, sums[j], at + j * width);
        for (; k < words; k++, at += width)
            sums[0] = add_word(of_b, sums[0], at);
        sums[0] += sums[1] + sums[2] + sums[3];
        memcpy(at, &sums[0], (size_t)smaller(VECTOR_LANES, (int)(width - i)) * sizeof *at); /* no more: the next tile */
    }
}

static inline void
add_up(const bool of_b, const WordPanel *panel, int count)
{
    const size_t width = (size_t)panel->width;
    for (int i = 0; i < count; i += panel->width)
        add_up_tile(of_b, panel->words + (size_t)i * (size_t)panel->depth, width, panel->depth - 1);
}

static void
pack_a(const void *product, int m, int rows, int k, int words, void *panel)
{
    const Product *p = product;
    const WordPanel to = {panel, rows, words};
    if (p->a_row == 1)
        words_pack_along(1, &to, product_a(p, m, k), p->a_k, rows, p->K);
    else
        words_pack_across(1, &to, product_a(p, m, k), p->a_row, rows, p->K);
    add_up(false, &to, rows);
}

static void
pack_b(const void *product, int n, int columns, int k, int words, void *panel)
{
    const Product *p = product;
    const WordPanel to = {panel, TILE_COLUMNS, words};
    if (p->b_column == 1)
        words_pack_along(1, &to, product_b(p, k, n), p->b_k, columns, p->K);
    else
        words_pack_across(1, &to, product_b(p, k, n), p->b_column, columns, p->K);
    add_up(true, &to, columns);
}

static void
compute(const void *product, const Part *part, const void *a, const void *b)
{
    const Product *p = product;
    Tile tile = {.rows = part->rows,
                 .a = a,
                 .K = part->K - 1,
                 .zero_a = (uint32_t)p->zero_a,
                 .zero_b = (uint32_t)p->zero_b,
                 .corner = (uint32_t)p->K * (uint32_t)p->zero_a * (uint32_t)p->zero_b,
                 .add = p->first > 0,
                 .ldc = p->ldc};
    for (int n = 0; n < part->columns; n += TILE_COLUMNS) {
        tile.columns = smaller(TILE_COLUMNS, part->columns - n);
        tile.b = (const uint32_t *)b + (size_t)n * (size_t)part->K;
        tile.c = product_c(p, part->m, part->n + n);
        gemm_int8_tile(&tile);
    }
}

void
gemm_int8_expert(bool transpose_a, bool transpose_b, int M, int N, int K, const uint8_t *A, int lda, int zero_a,
                 const int8_t *B, int ldb, int zero_b, int32_t *C, int ldc)
{
    Product p = product_create(transpose_a, transpose_b, K, A, lda, zero_a, B, ldb, zero_b, C, ldc);
    const FiveLoops loops = {.M = M,
                             .N = N,
                             .tile_rows = TILE_ROWS,
                             .tile_columns = 2 * TILE_COLUMNS,
                             .M_block = M_BLOCK,
                             .N_block = transpose_a ? 2 * N_BLOCK : N_BLOCK,
                             .pack_a = pack_a,
                             .pack_b = pack_b,
                             .compute = compute,
                             .threads = (double)M * N * K < PARALLEL_MIN ? 1 : host_threads()};
    product_in_parts(&p, loops, K_BLOCK);
}
