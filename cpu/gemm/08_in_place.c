/* gemm, rung 8: in place.
 * Idea      pack only what pays for it. To pack an operand is a pass over it; that is worth it if the copy is then read
 *           often, from a faster cache, or in an order that the prefetcher can follow.
 *
 *               A as stored        in place: 6 rows are 6 sequential streams, which the hardware prefetcher follows
 *               B up to 1 MiB      in place: it is read from L2 as fast as a packed copy would be
 *               few rows of C      B in place: each of its elements is used only a few times
 *               B transposed       packed: its columns are no streams
 *               B larger           packed panel by panel, just before use:
 *
 *                   for a block of k                     K_BLOCK rows of B
 *                     for a panel of B                   packed into L2 [K_BLOCK][TILE_COLUMNS], used from there by all rows of A
 *                       for a tile of rows               C += A (in place) times the panel
 *
 *               A transposed       rung 7, which packs both: a few floats of each row of storage are no stream
 *
 *           Edge tiles are padded: the last rows of A and columns of B are copied into panels of whole tiles, and the result is
 *           copied out of one, as is C into it where beta is not 0.
 *           Three things change with it: the loops of the packed product are gone, since one panel is packed at a time; the tile
 *           is that of micro_kernel.c, whose A is read row by row, 6 x 4 vectors in place of 14 x 2; threads get blocks of C
 *           (threads.h), from fewer multiplications on (PARALLEL_MIN).
 * Before    rung 7 packs all of A and B, megabytes at a time: it writes B's block to L3 and reads its panels back from there.
 * Now       with one thread of a Zen 5, times rung 7 (AVX-512; AVX2):  1024 x 1024 x 1024  1.17; 0.84 to 0.99, a loss
 *           3136 x 64 x 147  1.25 (AVX-512)      1 x 1024 x 1024  3.5; 1.8      128 x 10 x 784  0.85; 3
 *           With AVX2 a panel of B has 16 columns, for which A is read from L3 four times as often as for 64; on the other hand 10
 *           columns are padded to 16, and not to 64.
 * Wants     nothing; one thread below PARALLEL_MIN multiplications.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "core/workspace.h"
#include "cpu/gemm/pack.h"
#include "cpu/gemm/tiles.h"
#include "cpu/partition.h"

enum {
    B_IN_PLACE = 1 << 18, /* elements: 1 MiB, an L2 */
    ROWS_IN_PLACE = 400   /* of C, above which packing a large B pays: measured */
};
#define PARALLEL_MIN 5e5

/* A copy of C's edge in a whole tile, and back. The tile multiplies by alpha and adds beta C, too: as FMAs these round once, and an
 * element must have the same bits whether it falls into an edge or not, which depends on the number of threads. */
static void
copy_tile(float *to, size_t to_row, const float *from, size_t from_row, int rows, int columns)
{
    for (int m = 0; m < rows; m++)
        for (int n = 0; n < columns; n++)
            to[(size_t)m * to_row + (size_t)n] = from[(size_t)m * from_row + (size_t)n];
}

static void
compute_edge(Tile *tile, int rows, int columns)
{
    float whole[TILE_ROWS * TILE_COLUMNS] = {0}, *const c = tile->c;
    const size_t ldc = tile->ldc;
    if (tile->beta != 0.0f)
        copy_tile(whole, TILE_COLUMNS, c, ldc, rows, columns);
    tile->c = whole;
    tile->ldc = TILE_COLUMNS;
    tile_compute(tile);
    copy_tile(c, ldc, whole, TILE_COLUMNS, rows, columns);
}

/* One panel of B, packed or in place (b == NULL), times all rows of A; a: the last rows of A, padded. */
static void
multiply_panel(const StridedGemm *p, const GemmBlock *block, const float *a, const float *b)
{
    for (int m = 0; m < p->M; m += TILE_ROWS) {
        const int rows = smaller(TILE_ROWS, p->M - m);
        Tile tile;
        tile_begin(&tile, p, m, block->n, block->k, block->K);
        tile.rows = TILE_ROWS;
        tile.columns = TILE_COLUMNS;
        if (rows < TILE_ROWS) {
            tile.a = a;
            tile.a_row = 1;
            tile.a_k = TILE_ROWS;
        }
        if (b != NULL) {
            tile.b = b;
            tile.b_k = TILE_COLUMNS;
        }
        if (rows == TILE_ROWS && block->columns == TILE_COLUMNS)
            tile_compute(&tile);
        else
            compute_edge(&tile, rows, block->columns);
    }
}

bool
gemm_packing_pays(const StridedGemm *p)
{
    return p->b_column != 1 || (p->M > ROWS_IN_PLACE && (double)p->K * p->N > B_IN_PLACE);
}

static void
multiply(const StridedGemm *p)
{
    const bool pack = gemm_packing_pays(p);
    const int depth = smaller(p->K, K_BLOCK), last = p->M % TILE_ROWS;
    float *const panel = workspace(sizeof(float) * ((TILE_COLUMNS + TILE_ROWS) * (size_t)depth + VECTOR_LANES));
    float *const a = panel + TILE_COLUMNS * (size_t)depth + VECTOR_LANES;
    GemmBlock block = {.rows = p->M};
    do { /* once also for K = 0: C = beta C */
        block.K = smaller(K_BLOCK, p->K - block.k);
        if (last > 0)
            pack_padded(a, TILE_ROWS, gemm_a(p, p->M - last, block.k), p->a_row, p->a_k, last, block.K);
        for (block.n = 0; block.n < p->N; block.n += TILE_COLUMNS) {
            const float *b = gemm_b(p, block.k, block.n);
            block.columns = smaller(TILE_COLUMNS, p->N - block.n);
            if (block.columns < TILE_COLUMNS)
                pack_padded(panel, TILE_COLUMNS, b, p->b_column, p->b_k, block.columns, block.K);
            else if (pack)
                pack_panel(panel, TILE_COLUMNS, b, p->b_column, p->b_k, block.columns, block.K);
            multiply_panel(p, &block, a, pack || block.columns < TILE_COLUMNS ? panel : NULL);
        }
        block.k += K_BLOCK;
    } while (block.k < p->K);
}

void
gemm_by_blocks(MultiplyBlock *multiply_block, bool transpose_a, bool transpose_b, int M, int N, int K, float alpha,
               const float *A, int lda, const float *B, int ldb, float beta, float *C, int ldc)
{
    if (M == 0 || N == 0)
        return;
    if (transpose_a) {
        gemm_openmp(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
        return;
    }
    const StridedGemm p = strided_gemm(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    const int threads = (double)M * N * K < PARALLEL_MIN ? 1 : host_threads();
    gemm_partition(&p, multiply_block, gemm_is_partitioned_by_columns(&p, threads), threads);
}

void
gemm_in_place(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
              const float *B, int ldb, float beta, float *C, int ldc)
{
    gemm_by_blocks(multiply, transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}
