/* gemm, rung 8: expert.
 * Idea      every shape its own way: pack only what pays for being packed.
 *
 *               A untransposed            where it lies: 6 rows are 6 streams, which the processor fetches ahead by itself
 *               A transposed              packed, unless it is small: 6 floats of each line are no stream
 *               B fits the second cache   where it lies: packing would cost more than it saves
 *               up to 400 rows of C       B where it lies, 512 rows of it at a time: each element is used so few times
 *               B large, or transposed    packed, 64 columns of up to 1024 rows: a panel is written just before it is multiplied,
 *                                         so that it lies in the second cache, and stays there for a block of rows of A
 *               A packed                  in blocks, by the five loops of rung 5, whether B is packed or not
 *
 *           Tiles have exactly the rows and columns that are there: rows are cut equally (16 = 8 + 8, not 14 + 2), the last vector
 *           is masked, and a few last columns are inner products along k. C is asked for before it is needed, and so is a B that
 *           stays where it lies.
 * Before    rung 7 packs everything and pads every edge: 16 x 16 x 16 takes as long as 28 x 32 x 16, and packing besides.
 * Now       each element is read from memory as often as the caches make necessary, and no oftener.
 * Wants     nothing; one thread below PARALLEL_MIN multiplications. The way depends on the shape alone, never on the number of
 *           threads, and so do the bits.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/epilogue.h"
#include "cpu/gemm/08_expert_narrow.h"
#include "cpu/gemm/08_expert_panels.h"
#include "cpu/gemm/08_expert_row.h"
#include "cpu/gemm/08_expert_shares.h"
#include "cpu/gemm/08_expert_tiles.h"
#include "cpu/partition.h"

enum {
    B_IN_PLACE = 1 << 19, /* elements, 2 MiB: measured, with a second cache of 1 MiB */
    K_IN_PLACE = 1280,    /* of a sum in one piece: measured; 64 columns of so many rows of B are 320 KiB */
    A_IN_PLACE = 1 << 17, /* elements of a transposed A */
    PACK_ROWS = 400,      /* of C, above which packing a large B pays: it is then read so many times */
    CROWDED_ROWS = 768    /* see is_crowded */
};
_Static_assert((int)K_IN_PLACE <= (int)NARROW_K,
               "a sum in place is in one piece for narrow_count(), whatever share of the rows asks");
#define PARALLEL_MIN 5e5

/* Whether rows of B lie so far apart, by a multiple of 1 KiB, that a panel of B drives itself out of the second cache: 64 columns
 * of 1024 rows are 4096 lines, but only every fourth of the cache's places, or fewer, is theirs. */
static bool
is_crowded(const Product *p)
{
    return p->K > CROWDED_ROWS && p->b_k * sizeof(float) % 1024 == 0;
}

/* Rows m .. of so many columns from n on, cut equally. */
static void
multiply_columns(const Product *p, int m, int rows, int n, int columns, int panels)
{
    const int fewest = rows / panels, more = rows % panels; /* the first `more` panels have one row more than fewest */
    Tile tile;
    tile_begin(&tile, p, m, n, 0, p->K);
    tile.columns = columns;
    for (int i = 0; i < panels; i++) {
        tile.rows = fewest + (i < more);
        tile_compute(&tile);
        tile.a += (size_t)tile.rows * p->a_row;
        tile.c += (size_t)tile.rows * p->ldc;
        tile.at += (size_t)tile.rows * p->ldc;
    }
}

/* Nothing packed, the whole sum at once. Where A and C come from memory they are taken in blocks of some rows, all columns: C is
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
    if (N == 0) {
        narrow_columns(p, 0, narrow);
        return;
    }
    const int blocks = product_is_from_memory(p) ? ceil_div(p->M, 4 * rows) : 1;
    Narrow last;
    if (narrow > 0)
        narrow_begin(&last, p, N, narrow, 0, p->K);
    for (int i = 0; i < blocks; i++) {
        const int m = partition_begin(i, blocks, p->M), block = partition_begin(i + 1, blocks, p->M) - m;
        for (int n = 0, columns; n < N; n += columns) {
            columns = tile_columns(smaller(vectors * VECTOR_LANES, N - n));
            multiply_columns(p, m, block, n, columns, ceil_div(block, rows));
        }
        if (narrow > 0)
            narrow_rows(&last, p, m, block);
    }
}

/* Whether threads cut C by its columns for panels: then each panel is packed once, but every thread reads all of A. So C must not
 * be tall, and its panels must make equal shares; or there are no rows to cut. */
static bool
panels_are_cut_by_columns(const Product *p, int threads)
{
    return p->M < threads * TILE_ROWS ||
           (p->N >= p->M / 2 && partition_is_balanced(ceil_div(p->N, TILE_COLUMNS), threads));
}

/* Whether all of C's columns together are too few for a vector. */
static bool
is_narrow(const Product *p)
{
    return p->epilogue == NULL && narrow_count(p) == p->N;
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
    const bool fits = b_fits && K <= K_IN_PLACE && (!transpose_a || (double)M * K <= A_IN_PLACE);
    const bool pack = transpose_b || (M > PACK_ROWS && !b_fits);
    const bool panels = pack || (M > 1 && !fits && !is_narrow(&p));
    if (panels && transpose_a)
        multiply_transposed(&p, pack, threads);
    else if (panels)
        product_share(&p, pack ? multiply_packed_panels : multiply_panels_in_place,
                      panels_are_cut_by_columns(&p, threads), threads);
    else
        product_share(&p, multiply_in_place, M == 1 || M < N / 2, threads);
}

void
gemm_expert(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
            const float *B, int ldb, float beta, float *C, int ldc)
{
    gemm_expert_epilogue(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc, NULL);
}
