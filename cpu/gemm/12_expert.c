/* gemm, rung 12: expert.
 * Idea      choose: the ideas of rungs 5 to 11 for the shapes where they pay, and the tile that suits the shape.
 *
 *               B transposed              packed panel by panel                                                 rung 8
 *               B over twice L2           (or with conflict misses, or a long sum) in panels: packed for more than
 *                                         400 rows of C; else in place, k_c / 2 rows at a time, while the next
 *                                         panel is prefetched                                                   rung 10
 *               B up to twice L2          in place, and the whole sum over k at once
 *               A untransposed            in place                                                              rung 8
 *               tiles of 2 vectors (AVX2) both packed in the five loops, if B is over half of L2 and rows of A or B are a
 *                                         multiple of 1 KiB apart, or B would be read in place                  rung 5
 *               A transposed              in place up to half of L2, if B is, too; else packed in the five loops   rung 5
 *               edges                     masked, or inner products                                             rungs 9, 11
 *               operands in place         tiles of 1 to 8 vectors: few rows read B as few times as possible; an unaligned B is
 *                                         read by narrow tiles, since most of its loads touch two cache lines
 *
 * Before    rung 11 has one tile, 6 x 4 vectors (AVX2: 6 x 2), one depth of k, and packs everything if A is transposed.
 * Now       with one thread of a Zen 5, times rung 11 (AVX-512; AVX2):  16 x 16 x 16  1.25; 1.22      8 x 4096 x 4096  2.3
 *           20000 x 65 x 1152  1.4      128 x 10 x 784  1.00; 1.03      1024 x 1024 x 1024  1.00; 1.12 (AVX2 on a Zen 4)
 * Wants     nothing; one thread below PARALLEL_MIN multiplications. A thread's tiles depend on its block of C, but the order of
 *           a sum on the whole shape alone: any number of threads gives the same bits.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "core/workspace.h"
#include "cpu/epilogue.h"
#include "cpu/gemm/blocks.h"
#include "cpu/gemm/pack.h"
#include "cpu/gemm/tiles.h"
#include "cpu/partition.h"
#include <pthread.h>

enum {
    ROWS_IN_PLACE = 400, /* of C, above which packing a large B pays */
    TWICE_ROWS = 192,    /* and both operands, with tiles of 2 vectors: rows and columns of C, terms of its sums */
    TWICE_COLUMNS = 256,
    TWICE_K = 128,
    A_PANEL = 2 * TILE_ROWS /* rows of a packed panel of A: two tiles, so that more of each line is copied at once */
};
_Static_assert(GEMM_K_MAX / 4 * 5 <= (int)INNER_K,
               "inner products take a block of k at once, whichever rows of C a thread has");
#define PARALLEL_MIN 5e5

/* From this machine's caches, once. */
static GemmBlocks the_blocks;
static pthread_once_t blocks_once = PTHREAD_ONCE_INIT;

static void
find_blocks(void)
{
    the_blocks = gemm_blocks(host_get()->cache, A_PANEL, TILE_COLUMNS);
}

static const GemmBlocks *
blocks_of_host(void)
{
    pthread_once(&blocks_once, find_blocks);
    return &the_blocks;
}

/* ---- tiles for operands in place ---- */

static bool
b_is_in_memory(const StridedGemm *p)
{
    return (size_t)p->K * p->b_k >= blocks_of_host()->b_in_l3;
}

/* Vectors in a row of a tile. */
static int
vectors_in_place(const StridedGemm *p)
{
    const bool aligned = p->b_k % VECTOR_LANES == 0 && (uintptr_t)p->B % VECTOR_BYTES == 0;
    const int most = ceil_div(p->N, VECTOR_LANES);
    if (most <= 2)
        return most > 0 ? most : 1;
    if (most >= 8 && p->M <= TILE_SUMS / 8 && !b_is_in_memory(p))
        return 8; /* the hardware prefetcher follows such wide rows; from memory, software prefetch of narrower ones is faster */
    if (p->M <= TILE_SUMS) { /* the fewest passes over B, then the fewest loads of A */
        const int by_4 = ceil_div(p->M, TILE_SUMS / 4), by_3 = ceil_div(p->M, TILE_SUMS / 3);
        const int by_2 = ceil_div(p->M, TILE_SUMS / 2) + (TILE_VECTORS > 2);
        return most >= 4 && by_4 <= by_3 && by_4 <= by_2 ? 4 : by_3 <= by_2 ? 3 : 2;
    }
    return !aligned ? 2 : smaller(most, TILE_VECTORS); /* unaligned: most loads of B touch two lines, those of A one */
}

/* Rows of a tile of this many vectors. If they are 4 KiB apart, more than 10 rows of A are conflict misses in L1. */
static int
rows_in_place(const StridedGemm *p, int vectors)
{
    return vectors > 1 ? TILE_SUMS / vectors : smaller(TILE_SUMS, p->M <= TILE_ROWS_MAX ? TILE_ROWS_MAX : 10);
}

/* ---- nothing packed, the whole sum at once ---- */

/* Rows m .. of `columns` columns from n on, divided equally among `tiles` tiles. */
static void
multiply_columns(const StridedGemm *p, int m, int rows, int n, int columns, int tiles)
{
    const int fewest = rows / tiles, more = rows % tiles; /* the first `more` tiles have one row more than fewest */
    Tile tile;
    tile_begin(&tile, p, m, n, 0, p->K);
    tile_prefetch(&tile, p);
    tile.columns = columns;
    for (int i = 0; i < tiles; i++) {
        tile.rows = fewest + (i < more);
        tile_compute(&tile);
        tile.a += (size_t)tile.rows * p->a_row;
        tile.c += (size_t)tile.rows * p->ldc;
        tile.output_index += (size_t)tile.rows * p->ldc;
    }
}

/* The number of edge columns computed as inner products, which apply no epilogue. */
static int
inner_products_of(const StridedGemm *p)
{
    return p->epilogue == NULL ? inner_count(p) : 0;
}

/* Where A and C come from memory they are taken in blocks of some rows, all columns: C is then written in the order in which
 * it is stored, and A is read from memory once. */
static void
multiply_in_place(const StridedGemm *p)
{
    if (p->M == 1) {
        gemm_multiply_row(p);
        epilogue_row(p->epilogue, p->first_n, p->first_c, p->N, p->C - p->first_c);
        return;
    }
    const int vectors = vectors_in_place(p), rows = rows_in_place(p, vectors);
    const int inner = inner_products_of(p), N = p->N - inner;
    if (N == 0) {
        inner_columns(p, 0, inner);
        return;
    }
    const int blocks = gemm_is_beyond_l3(p) ? ceil_div(p->M, 4 * rows) : 1;
    DotColumns last;
    if (inner > 0)
        inner_begin(&last, p, N, inner, 0, p->K);
    for (int i = 0; i < blocks; i++) {
        const int m = partition_begin(i, blocks, p->M), block = partition_begin(i + 1, blocks, p->M) - m;
        for (int n = 0, columns; n < N; n += columns) {
            columns = tile_columns(smaller(vectors * VECTOR_LANES, N - n));
            multiply_columns(p, m, block, n, columns, ceil_div(block, rows));
        }
        if (inner > 0)
            inner_rows(&last, p, m, block);
    }
}

/* ---- A in place, B in panels ---- */

/* Whether tiles prefetch the next panel of a B in place. From memory that always pays, unless a panel is so wide that the
 * hardware prefetcher follows its rows. From L3, measured on a Zen 5 with a B of 4 MiB, it pays for more than TILE_SUMS rows, and
 * for 7 to 11: these gain a third while other cores use L3, too, and lose up to a tenth while it is idle. */
static bool
prefetch_pays(const StridedGemm *p, int vectors)
{
    return (b_is_in_memory(p) && vectors <= TILE_VECTORS) || p->M > TILE_SUMS || (p->M >= 7 && p->M <= 11);
}

/* Rows of a panel of B. In place they map to fewer sets of L2. */
static int
k_block(bool pack)
{
    return pack ? blocks_of_host()->k : blocks_of_host()->k / 2;
}

static void
multiply_inner(const StridedGemm *p, const GemmBlock *block)
{
    DotColumns inner;
    inner_begin(&inner, p, block->n, block->columns, block->k, block->K);
    inner_rows(&inner, p, block->m, block->rows);
}

/* Packing: PackPanel of the five loops. */
static void
pack_a(const void *product, int m, int rows, int k, int K, void *panel)
{
    const StridedGemm *p = product;
    pack_panel(panel, rows, gemm_a(p, m, k), p->a_row, p->a_k, rows, K);
}

static void
pack_b(const void *product, int n, int columns, int k, int K, void *panel)
{
    const StridedGemm *p = product;
    pack_panel(panel, TILE_COLUMNS, gemm_b(p, k, n), p->b_column, p->b_k, columns, K);
}

/* BEGIN LISTING expert-panels */
/* A block of rows of A, a block of k, then panel after panel of B, which all rows of the block use. */
static inline void
multiply_panels(const StridedGemm *p, bool pack)
{
    const int vectors = pack ? TILE_VECTORS : vectors_in_place(p), width = vectors * VECTOR_LANES;
    const int tile_rows = pack ? TILE_ROWS : rows_in_place(p, vectors);
    const GemmBlocks *const blocks = blocks_of_host();
    const int depth = p->K > 0 ? smaller(p->K, k_block(pack)) : 1;
    const int k_blocks = p->K > 0 ? ceil_div(p->K, depth) : 1, m_blocks = ceil_div(p->M, (int)blocks->a_in_l3 / depth);
    const bool prefetch = !pack && prefetch_pays(p, vectors);
    const int inner = inner_products_of(p), N = p->N - inner;
    float *panel = pack ? workspace(sizeof(float) * (TILE_COLUMNS * (size_t)depth + VECTOR_LANES)) : NULL;
    for (int i = 0; i < m_blocks; i++)
        for (int j = 0; j < k_blocks; j++) {
            GemmBlock block = {.m = partition_begin(i, m_blocks, p->M), .k = partition_begin(j, k_blocks, p->K)};
            block.rows = partition_begin(i + 1, m_blocks, p->M) - block.m;
            block.K = partition_begin(j + 1, k_blocks, p->K) - block.k;
            for (; block.n < N; block.n += width) {
                block.columns = smaller(width, N - block.n);
                if (pack)
                    pack_b(p, block.n, block.columns, block.k, block.K, panel);
                gemm_multiply_panel(p, &block, tile_rows, NULL, panel,
                                    prefetch ? prefetch_of_panel(p, block.k, block.n + width, width) : (Prefetch){0});
            }
            block.n = N;
            block.columns = inner;
            if (inner > 0)
                multiply_inner(p, &block);
        }
}
/* END LISTING expert-panels */

static void
multiply_packed_panels(const StridedGemm *p)
{
    multiply_panels(p, true);
}

static void
multiply_panels_in_place(const StridedGemm *p)
{
    multiply_panels(p, false);
}

/* ---- A packed: the five loops ---- */

static void
compute(const void *product, const GemmBlock *block, const void *a, const void *b)
{
    gemm_multiply_panel(product, block, TILE_ROWS, a, b, (Prefetch){0});
}

static void
multiply_packed_a(const StridedGemm *p, bool pack, int threads)
{
    five_loops(&(FiveLoops){.M = p->M,
                            .N = p->N,
                            .K = p->K,
                            .tile_rows = A_PANEL,
                            .tile_columns = TILE_COLUMNS,
                            .M_block = blocks_of_host()->m,
                            .N_block = blocks_of_host()->n,
                            .K_block = k_block(pack),
                            .pack_a = pack_a,
                            .pack_b = pack ? pack_b : NULL,
                            .compute = compute,
                            .product = p,
                            .threads = threads});
}

/* ---- the choice: the table above ---- */

/* Whether rows this far apart, in elements, map to few sets of a cache. */
static bool
is_conflicting(size_t stride)
{
    return stride * sizeof(float) % 1024 == 0;
}

/* Whether rows of B are a multiple of 1 KiB apart, so that a panel has conflict misses in L2: 64 columns of 1024 rows are 4096
 * lines, but they map to every fourth set, or fewer. */
static bool
has_conflicts(const StridedGemm *p)
{
    return p->K > blocks_of_host()->k * 3 / 4 && is_conflicting(p->b_k);
}

/* Whether both operands are packed although A is not transposed: where a panel of B has 2 vectors, so that A is read for each 16
 * columns. It is no stream then if its rows are a multiple of 1 KiB apart; and a B in place that exceeds half of L2 comes from
 * L2 for each tile, with misses that the prefetcher does not foresee. */
static bool
packing_both_pays(const StridedGemm *p, bool pack_b)
{
    const size_t b = (size_t)p->K * (size_t)p->N;
    return TILE_VECTORS <= 2 && p->M >= TWICE_ROWS && p->N >= TWICE_COLUMNS && p->K >= TWICE_K &&
           b >= blocks_of_host()->b_in_place / 4 && p->b_column == 1 &&
           (!pack_b || is_conflicting(p->a_row) || is_conflicting(p->b_k));
}

void
gemm_expert_epilogue(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
                     const float *B, int ldb, float beta, float *C, int ldc, const Epilogue *epilogue)
{
    StridedGemm p = strided_gemm(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    p.epilogue = epilogue;
    if (M == 0 || N == 0)
        return;
    const int threads = (double)M * N * K < PARALLEL_MIN ? 1 : host_threads();
    const GemmBlocks *const blocks = blocks_of_host();
    const bool a_in_place = !transpose_a || (size_t)M * (size_t)K <= blocks->a_in_place;
    const bool b_stays_in_l2 = (size_t)K * (size_t)N <= blocks->b_in_place && !has_conflicts(&p);
    const bool pack_b = transpose_b || (M > ROWS_IN_PLACE && !b_stays_in_l2);
    const bool one_pass = M == 1 || inner_products_of(&p) == N; /* B, or A, is read only once in any case */
    if (packing_both_pays(&p, pack_b) && !one_pass)
        multiply_packed_a(&p, true, threads);
    else if (!pack_b && (one_pass || (a_in_place && b_stays_in_l2 && K <= blocks->k_in_place))) {
        /* The larger operand is partitioned: a thread reads its own part of it, and all of the other one. */
        const bool by_columns = M == 1 || M < N / 2;
        gemm_partition(&p, multiply_in_place, by_columns, threads);
    } else if (transpose_a)
        multiply_packed_a(&p, pack_b, threads);
    else
        gemm_partition(&p, pack_b ? multiply_packed_panels : multiply_panels_in_place,
                       gemm_is_partitioned_by_columns(&p, threads), threads);
}

void
gemm_expert(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
            const float *B, int ldb, float beta, float *C, int ldc)
{
    gemm_expert_epilogue(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc, NULL);
}
