/* gemm_bf16, rung 4: expert.
 * Idea      what gemm's expert does, with pairs: threads, tiles as large as the edge of C leaves them, packing on vectors.
 * Before    rung 3 packs element by element, which next to a product of twice the speed is seen twice as much; it computes
 *           whole tiles at the edges, into a scratch, and has one thread.
 * Now       packing takes a vector of pairs at a time: two rows interleaved where elements are stored along m or n,
 *           a transposition of words in registers where it is stored along k. Threads partition rows or columns of C
 *           (cpu/gemm/five_loops.h).
 * Wants     nothing; one thread below PARALLEL_MIN multiplications.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/gemm_bf16/gemm_bf16.h"
#include "cpu/gemm_bf16/pairs.h"
#include "cpu/partition.h"

/* B is packed two tiles at a time: 128 bytes of each row of B, two whole cache lines. A tile of A and one of B come from L2,
 * not from L1: deep blocks read and write C fewer times, which counts for more. M_BLOCK x K_BLOCK words of A are 0.8 MB,
 * N_BLOCK x K_BLOCK of B 8 MB. Packing a transposed A touches another page for each k, so it is done once for more columns. */
enum { M_BLOCK = 14 * TILE_ROWS, N_BLOCK = 2048, K_BLOCK = 1024 };
#define PARALLEL_MIN 4e6

static void
pack_a(const void *product, int m, int rows, int k, int K, void *panel)
{
    const LowPrecisionGemm *p = product;
    words_pack(sizeof(Bf16), &(WordPanel){panel, rows, K}, low_precision_a(p, m, 2 * k), p->a_row, p->a_k, rows,
               smaller(2 * K, p->K - 2 * k));
}

static void
pack_b(const void *product, int n, int columns, int k, int K, void *panel)
{
    const LowPrecisionGemm *p = product;
    words_pack(sizeof(Bf16), &(WordPanel){panel, TILE_COLUMNS, K}, low_precision_b(p, 2 * k, n), p->b_column, p->b_k,
               columns, smaller(2 * K, p->K - 2 * k));
}

/* ---- the micro-kernel ---- */

/* C[rows][columns] = alpha sum over K pairs of a b + beta C. a is packed as [K][rows] words, b as [K][TILE_COLUMNS]. */
typedef struct Tile {
    int rows, columns, K;
    const uint32_t *a, *b;
    float alpha, beta;
    float *c;
    size_t ldc;
} Tile;

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
compute_tile(const int rows, const int vectors, const Tile *tile)
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

static void
compute(const void *product, const GemmBlock *part, const void *a, const void *b)
{
    const LowPrecisionGemm *p = product;
    Tile tile = {.rows = part->rows,
                 .a = a,
                 .K = part->K,
                 .alpha = p->alpha,
                 .beta = part->k == 0 ? p->beta : 1.0f,
                 .ldc = p->ldc};
    for (int n = 0; n < part->columns; n += TILE_COLUMNS) {
        tile.columns = smaller(TILE_COLUMNS, part->columns - n);
        tile.b = (const uint32_t *)b + (size_t)n * (size_t)part->K;
        tile.c = low_precision_c(p, part->m, part->n + n);
        WITH_CONSTANT_TILE(compute_tile, &tile)
    }
}

void
gemm_bf16_expert(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const Bf16 *A, int lda,
                 const Bf16 *B, int ldb, float beta, float *C, int ldc)
{
    LowPrecisionGemm p = low_precision_gemm(sizeof(Bf16), transpose_a, transpose_b, K, A, lda, B, ldb, C, ldc);
    p.alpha = alpha;
    p.beta = beta;
    FiveLoops loops = low_precision_loops(M, N, ceil_div(K, 2), &p);
    loops.tile_columns = 2 * TILE_COLUMNS;
    loops.M_block = M_BLOCK;
    loops.N_block = transpose_a ? 2 * N_BLOCK : N_BLOCK;
    loops.K_block = K_BLOCK;
    loops.pack_a = pack_a;
    loops.pack_b = pack_b;
    loops.compute = compute;
    loops.threads = (double)M * N * K < PARALLEL_MIN ? 1 : host_threads();
    five_loops(&loops);
}
