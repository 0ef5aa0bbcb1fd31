/* gemm_int8, rung 4: expert.
 * Idea      what gemm's expert does, with quads: threads, tiles as large as the edge of C leaves them, packing on vectors.
 * Before    rung 3 packs byte by byte, which next to a product of four times the speed is seen four times as much; it computes
 *           whole tiles at the edges, into a scratch, and has one thread.
 * Now       packing takes a vector of quads at a time: four rows interleaved where elements are stored along m or n, a
 *           transposition of words in registers where they are stored along k. The sums are multiply-adds of the packed words
 *           with ones. Threads partition rows or columns of C (cpu/gemm/five_loops.h).
 * Wants     nothing; one thread below PARALLEL_MIN multiplications.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/gemm_int8/blocks.h"
#include "cpu/gemm_int8/quads.h"
#include "cpu/partition.h"

/* B is packed two tiles at a time: 64 bytes of each row of B, a whole cache line. The other sizes are those of gemm_bf16's
 * expert. */
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
    const LowPrecisionGemm *p = product;
    const WordPanel to = {panel, rows, words};
    words_pack(1, &to, low_precision_a(p, m, k), p->a_row, p->a_k, rows, p->K);
    add_up(false, &to, rows);
}

static void
pack_b(const void *product, int n, int columns, int k, int words, void *panel)
{
    const LowPrecisionGemm *p = product;
    const WordPanel to = {panel, TILE_COLUMNS, words};
    words_pack(1, &to, low_precision_b(p, k, n), p->b_column, p->b_k, columns, p->K);
    add_up(true, &to, columns);
}

/* ---- the micro-kernel ---- */

/* C[rows][columns] (+)= the sum over K quads of a b - zero_b sum of a - zero_a sum of b + corner. a is packed as [K][rows]
 * words, b as [K][TILE_COLUMNS]; the sums stand behind. All modulo 2^32. */
typedef struct Tile {
    int rows, columns, K;
    const uint32_t *a, *b;
    uint32_t zero_a, zero_b, corner;
    bool add;
    int32_t *c;
    size_t ldc;
} Tile;

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
compute_tile(const int rows, const int vectors, const Tile *tile)
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

static void
compute(const void *product, const GemmBlock *part, const void *a, const void *b)
{
    const LowPrecisionGemm *p = product;
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
        tile.c = low_precision_c(p, part->m, part->n + n);
        WITH_CONSTANT_TILE(compute_tile, &tile)
    }
}

void
gemm_int8_expert(bool transpose_a, bool transpose_b, int M, int N, int K, const uint8_t *A, int lda, int zero_a,
                 const int8_t *B, int ldb, int zero_b, int32_t *C, int ldc)
{
    LowPrecisionGemm p = int8_gemm(transpose_a, transpose_b, K, A, lda, zero_a, B, ldb, zero_b, C, ldc);
    FiveLoops loops = low_precision_loops(M, N, 0, &p);
    loops.tile_columns = 2 * TILE_COLUMNS;
    loops.M_block = M_BLOCK;
    loops.N_block = transpose_a ? 2 * N_BLOCK : N_BLOCK;
    loops.pack_a = pack_a;
    loops.pack_b = pack_b;
    loops.compute = compute;
    loops.threads = (double)M * N * K < PARALLEL_MIN ? 1 : host_threads();
    int8_blocks_of_k(&p, loops, K_BLOCK);
}
