/* gemm, rung 8: expert.
 * Idea      every shape its own way: pack only what pays for being packed.
 *
 *               A untransposed            where it lies: 6 rows are 6 streams, which the processor fetches ahead by itself
 *               A transposed              packed, unless it is small: 6 floats of each line are no stream
 *               B fits the second cache   where it lies: packing would cost more than it saves
 *               up to 400 rows of C       B where it lies, 512 rows of it at a time: each element is used so few times
 *               B large, or transposed    packed, 64 columns of up to 1024 rows: a panel is written just before it is multiplied,
 *                                         so that it lies in the second cache, and stays there for a block of rows of A
 *               A and B both packed       in blocks, by the five loops of rung 5
 *
 *           Tiles have exactly the rows and columns that are there: rows are cut equally (16 = 8 + 8, not 14 + 2), the last vector
 *           is masked, and a few last columns are inner products along k. C is fetched before it is needed.
 * Before    rung 7 packs everything and pads every edge: 16 x 16 x 16 takes as long as 28 x 32 x 16, and packing besides.
 * Now       each element is read from memory as often as the caches make necessary, and no oftener.
 * Wants     nothing; one thread below PARALLEL_MIN multiplications. The way depends on the shape alone, never on the number of
 *           threads, and so do the bits.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "core/workspace.h"
#include "cpu/epilogue.h"
#include "cpu/float_pack.h"
#include "cpu/float_tile.h"
#include "cpu/gemm/08_expert_narrow.h"
#include "cpu/gemm/08_expert_row.h"
#include "cpu/gemm/08_expert_shares.h"
#include "cpu/gemm/product.h"
#include "cpu/parts.h"
#include <stdint.h>

enum {
    FAR = 1 << 18,        /* elements of a product that fill the second cache */
    C_IN_CACHE = 1 << 22, /* elements of a C, 16 MiB, that may stay in the shared cache */
    B_IN_PLACE = 1 << 19, /* elements, 2 MiB: measured, with a second cache of 1 MiB */
    A_IN_PLACE = 1 << 17, /* elements of a transposed A */
    A_BLOCK = 1 << 21, /* elements of a large A, read where it lies for panel after panel: 8 MiB of the shared cache */
    FEW_ROWS = TILE_SUMS,    /* of C */
    PACK_ROWS = 400,         /* of C, above which packing a large B pays: it is then read so many times */
    A_PANEL = 2 * TILE_ROWS, /* rows of a packed panel of A: two tiles, so that more of each line is copied at once */
    M_BLOCK = 7 * A_PANEL,   /* of a packed A */
    N_BLOCK = 2048,          /* of a B for a transposed A: 8 MiB of the shared cache */
    K_BLOCK = 1024,          /* a panel of B is 256 KiB */
    K_BLOCK_IN_PLACE = 512,  /* rows of B lie apart and share fewer places of the second cache */
    CROWDED_ROWS = 768       /* see is_crowded */
};
_Static_assert((int)K_BLOCK <= (int)NARROW_K,
               "a sum in place is in one piece for narrow_count(), whatever share of the rows asks");
#define PARALLEL_MIN 5e5

/* Whether the product is larger than the second cache. */
static bool
is_far(const Product *p)
{
    const size_t M = (size_t)p->M, N = (size_t)p->N, K = (size_t)p->K;
    return M * N + M * K + K * N > FAR;
}

/* Whether rows of B lie so far apart, by a multiple of 1 KiB, that a panel of B drives itself out of the second cache: 64 columns
 * of 1024 rows are 4096 lines, but only every fourth of the cache's places, or fewer, is theirs. */
static bool
is_crowded(const Product *p)
{
    return p->K > CROWDED_ROWS && p->b_k * sizeof(float) % 1024 == 0;
}

static void
pack_a(const void *product, int m, int rows, int k, int K, void *panel)
{
    const Product *p = product;
    pack_panel(panel, rows, product_a(p, m, k), p->a_row, p->a_k, rows, K);
}

static void
pack_b(const void *product, int n, int columns, int k, int K, void *panel)
{
    const Product *p = product;
    pack_panel(panel, TILE_COLUMNS, product_b(p, k, n), p->b_column, p->b_k, columns, K);
}

/* Tells a tile, from row m and column n on, what the epilogue has to know. */
static void
end_tile(const Product *p, int m, int n, Tile *tile)
{
    tile->epilogue = p->epilogue;
    tile->o = p->first_n + n;
    tile->at = p->first_c + (size_t)m * p->ldc + (size_t)n;
}

/* A part of C whose operands are packed (a, b) or where they lie (NULL), tile by tile. */
static void
compute(const void *product, const Part *part, const void *a, const void *b)
{
    const Product *p = product;
    Tile tile = {.K = part->K, .alpha = p->alpha, .beta = product_beta(p, part->k), .ldc = p->ldc, .far = is_far(p)};
    tile.a_row = a != NULL ? 1 : p->a_row;
    tile.a_k = a != NULL ? (size_t)part->rows : p->a_k;
    tile.b_k = b != NULL ? TILE_COLUMNS : p->b_k;
    tile.rows = a != NULL && part->rows > TILE_ROWS ? (part->rows + 1) / 2 : part->rows;
    for (int m = 0; m < part->rows; m += tile.rows) {
        tile.rows = smaller(tile.rows, part->rows - m);
        tile.a = a != NULL ? (const float *)a + m : product_a(p, part->m + m, part->k);
        tile.b = b != NULL ? b : product_b(p, part->k, part->n);
        tile.c = product_c(p, part->m + m, part->n);
        if (part->k + part->K == p->K)
            end_tile(p, part->m + m, part->n, &tile);
        for (int n = 0; n < part->columns; n += tile.columns) {
            tile.columns = tile_columns(part->columns - n);
            tile_compute(&tile);
            tile.b += tile.columns;
            tile.c += tile.columns;
            tile.o += tile.columns;
            tile.at += (size_t)tile.columns;
        }
    }
}

/* Vectors in a row of a tile where B lies. */
static int
vectors_in_place(const Product *p)
{
    const bool aligned = p->b_k % VECTOR_LANES == 0 && (uintptr_t)p->B % VECTOR_BYTES == 0;
    const int most = parts_of(p->N, VECTOR_LANES);
    if (most <= 2)
        return most > 0 ? most : 1;
    if (most >= 8 && p->M <= TILE_SUMS / 8)
        return 8;
    if (p->M <= FEW_ROWS) { /* as few passes over B as possible, then as few loads of A */
        const int by_4 = parts_of(p->M, TILE_SUMS / 4), by_3 = parts_of(p->M, TILE_SUMS / 3);
        const int by_2 = parts_of(p->M, TILE_SUMS / 2) + (TILE_VECTORS > 2);
        return most >= 4 && by_4 <= by_3 && by_4 <= by_2 ? 4 : by_3 <= by_2 ? 3 : 2;
    }
    return !aligned ? 2 : smaller(most, TILE_VECTORS); /* unaligned: most loads of B touch two lines, those of A one */
}

/* Rows of a tile of so many vectors. At 4 KiB from each other, more than 10 rows drive each other out of the first cache. */
static int
rows_in_place(const Product *p, int vectors)
{
    return vectors > 1 ? TILE_SUMS / vectors : smaller(TILE_SUMS, p->M <= TILE_ROWS_MAX ? TILE_ROWS_MAX : 10);
}

/* Rows m .. of so many columns from n on, cut equally. */
static void
multiply_columns(const Product *p, int m, int rows, int n, int columns, int panels)
{
    const int fewest = rows / panels, more = rows % panels; /* the first `more` panels have one row more than fewest */
    Tile tile = {.columns = columns,
                 .K = p->K,
                 .a = product_a(p, m, 0),
                 .b = p->B + n,
                 .a_row = p->a_row,
                 .a_k = p->a_k,
                 .b_k = p->b_k,
                 .alpha = p->alpha,
                 .beta = p->beta,
                 .c = product_c(p, m, n),
                 .ldc = p->ldc,
                 .far = is_far(p)};
    end_tile(p, m, n, &tile);
    for (int i = 0; i < panels; i++) {
        tile.rows = fewest + (i < more);
        tile_compute(&tile);
        tile.a += (size_t)tile.rows * p->a_row;
        tile.c += (size_t)tile.rows * p->ldc;
        tile.at += (size_t)tile.rows * p->ldc;
    }
}

/* Nothing packed, the whole sum at once. A C that comes from memory is taken in blocks of some rows, all columns: its memory is
 * then written in the order in which it lies, and A is read once. */
static void
multiply_in_place(const Product *p)
{
    if (p->M == 1) {
        multiply_row(p);
        epilogue_row(p->epilogue, p->first_n, p->first_c, p->N, p->C - p->first_c);
        return;
    }
    const int vectors = vectors_in_place(p), rows = rows_in_place(p, vectors);
    const int narrow = p->epilogue == NULL ? narrow_count(p) : 0, N = p->N - narrow;
    const int blocks = (size_t)p->M * (size_t)p->N > C_IN_CACHE ? parts_of(p->M, 4 * rows) : 1;
    for (int i = 0; i < blocks; i++) {
        const int m = part_begin(i, blocks, p->M), block = part_begin(i + 1, blocks, p->M) - m;
        for (int n = 0, columns; n < N; n += columns) {
            columns = tile_columns(smaller(vectors * VECTOR_LANES, N - n));
            multiply_columns(p, m, block, n, columns, parts_of(block, rows));
        }
    }
    if (narrow > 0)
        narrow_columns(p, N, narrow);
}

/* A packed panel of B, columns n .. of rows k .., times the rows m .. of A, which are cut equally. */
static void
multiply_panel(const Product *p, Part part, const float *panel)
{
    const int m = part.m, rows = part.rows, tiles = parts_of(rows, TILE_ROWS);
    for (int i = 0; i < tiles; i++) {
        part.m = m + part_begin(i, tiles, rows);
        part.rows = m + part_begin(i + 1, tiles, rows) - part.m;
        compute(p, &part, NULL, panel);
    }
}

/* A where it lies, B panel by panel. A panel is used by all rows of a block of A, and packed again for the next block. */
static void
multiply_panels(const Product *p)
{
    const int depth = p->K > 0 ? smaller(p->K, K_BLOCK) : 1;
    const int k_blocks = p->K > 0 ? parts_of(p->K, depth) : 1, m_blocks = parts_of(p->M, A_BLOCK / depth);
    float *panel = workspace(sizeof(float) * (TILE_COLUMNS * (size_t)depth + VECTOR_LANES));
    for (int i = 0; i < m_blocks; i++)
        for (int j = 0; j < k_blocks; j++) {
            Part part = {.m = part_begin(i, m_blocks, p->M), .k = part_begin(j, k_blocks, p->K)};
            part.rows = part_begin(i + 1, m_blocks, p->M) - part.m;
            part.K = part_begin(j + 1, k_blocks, p->K) - part.k;
            for (; part.n < p->N; part.n += TILE_COLUMNS) {
                part.columns = smaller(TILE_COLUMNS, p->N - part.n);
                pack_b(p, part.n, part.columns, part.k, part.K, panel);
                multiply_panel(p, part, panel);
            }
        }
}

/* Whether threads cut C by its columns for panels: then each panel is packed once, but every thread reads all of A. So C must not
 * be tall, and its panels must make equal shares; or there are no rows to cut. */
static bool
panels_are_cut_by_columns(const Product *p, int threads)
{
    return p->M < threads * TILE_ROWS || (p->N >= p->M / 2 && parts_are_even(parts_of(p->N, TILE_COLUMNS), threads));
}

/* Whether all of C's columns together are too few for a vector. */
static bool
is_narrow(const Product *p)
{
    return p->epilogue == NULL && narrow_count(p) == p->N;
}

/* A packed, by M_BLOCK rows, if it is transposed; B packed in blocks, if it shall be. */
static void
multiply_packed(const Product *p, bool pack, int threads)
{
    const bool transposed = p->a_k != 1;
    const int vectors = transposed ? TILE_VECTORS : vectors_in_place(p);
    five_loops(&(FiveLoops){.M = p->M,
                            .N = p->N,
                            .K = p->K,
                            .tile_rows = transposed ? A_PANEL : rows_in_place(p, vectors),
                            .tile_columns = vectors * VECTOR_LANES,
                            .M_block = transposed ? M_BLOCK : A_BLOCK / K_BLOCK_IN_PLACE,
                            .N_block = N_BLOCK,
                            .K_block = pack ? K_BLOCK : K_BLOCK_IN_PLACE,
                            .pack_a = transposed ? pack_a : NULL,
                            .pack_b = pack ? pack_b : NULL,
                            .compute = compute,
                            .product = p,
                            .threads = threads});
}

void
gemm_expert_epilogue(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
                     const float *B, int ldb, float beta, float *C, int ldc, const Epilogue *epilogue)
{
    Product p = product_create(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    p.epilogue = epilogue;
    if (M == 0 || N == 0)
        return;
    const double work = (double)M * N * K;
    const int threads = work < PARALLEL_MIN ? 1 : host_threads();
    const bool b_fits = (double)K * N <= B_IN_PLACE && !is_crowded(&p);
    const bool fits = b_fits && K <= K_BLOCK && (!transpose_a || (double)M * K <= A_IN_PLACE);
    const bool pack = transpose_b || (M > PACK_ROWS && !b_fits);
    if (pack && !transpose_a)
        product_share(&p, multiply_panels, panels_are_cut_by_columns(&p, threads), threads);
    else if (pack || (M > 1 && !fits && !is_narrow(&p)))
        multiply_packed(&p, pack, threads);
    else
        product_share(&p, multiply_in_place, M == 1 || M < N / 2, threads);
}

void
gemm_expert(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
            const float *B, int ldb, float beta, float *C, int ldc)
{
    gemm_expert_epilogue(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc, NULL);
}
