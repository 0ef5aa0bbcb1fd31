/* gemm, rung 3: register tile.
 * Idea      keep a tile of C in registers over the whole sum. For each k, a row of the tile of B (2 vectors) meets ROWS elements
 *           of A: ROWS + 2 loads for 2 ROWS fused multiply-adds, and C is touched once at the end.
 *
 *                            panel of B, packed: [K_BLOCK][COLUMNS]
 *                                k ->  [ vector 0 | vector 1 ]
 *               A  a[0][k] ->          [ sum      | sum      ]     ROWS x 2 sums, all of them registers:
 *                  a[1][k] ->          [ sum      | sum      ]     enough independent ones to hide the 4 cycles
 *                  ...                                             that a fused multiply-add takes
 *
 * Before    reordered loads and stores an element of C for every multiplication.
 * Now       one load for every 2 multiplications or so; a panel of B (K_BLOCK x COLUMNS x 4 = 32 KiB) is copied, and transposed
 *           where asked, into a buffer of the thread's own, where it is read in one stream by all rows of A. A is read where it
 *           lies, with two strides, so that a transposed A costs nothing.   Wants: nothing.
 * Still     A is read again for each panel, from wherever it is; nothing fits the larger caches to their sizes.
 * Lecture   lectures/02-backpropagation.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "core/vector.h"
#include "cpu/gemm/gemm.h"
#include <stddef.h>
#include <string.h>

/* 12 x 2 sums fill 24 of 32 registers (AVX-512, NEON), 6 x 2 fill 12 of 16. */
#if VECTOR_BYTES == 64 || defined(__aarch64__)
enum { ROWS = 12 };
#else
enum { ROWS = 6 };
#endif
enum { ROWS_MAX = 12, COLUMNS = 2 * VECTOR_LANES, K_BLOCK = 256 };

/* Below this many multiplications waking the other threads costs more than they save. */
#define PARALLEL_MIN 2e6

/* A product whose op(A) has its element (m, k) at A[m * a_row + k * a_k]. */
typedef struct Product {
    int M, N, K;
    float alpha, beta;
    const float *A, *B;
    size_t a_row, a_k, ldb, ldc;
    bool transpose_b;
    float *C;
} Product;

static int
smaller(int a, int b)
{
    return a < b ? a : b;
}

/* panel[k][0 .. columns-1] = op(B)[first_k + k][first_n ..]. Behind the last column stays what was there: its sums are computed
 * with the others, and never stored. */
static void
pack_panel(float *restrict panel, const Product *p, int first_k, int K, int first_n, int columns)
{
    const size_t row = p->transpose_b ? 1 : p->ldb, column = p->transpose_b ? p->ldb : 1;
    const float *restrict b = p->B + (size_t)first_k * row + (size_t)first_n * column;
    if (p->transpose_b) {
        for (size_t n = 0; n < (size_t)columns; n++)
            for (size_t k = 0; k < (size_t)K; k++)
                panel[k * COLUMNS + n] = b[n * column + k];
    } else {
        for (size_t k = 0; k < (size_t)K; k++)
            memcpy(panel + k * COLUMNS, b + k * row, sizeof(float) * (size_t)columns);
    }
}

/* sums[i][v] = sum over k of a[i][k] * panel[k][v] for i < rows, v < vectors. It is inlined with both constant, so that the
 * loops over them unroll and the sums stay in registers. */
static inline __attribute__((always_inline)) void
sum_tile(const int rows, const int vectors, int K, const float *a, size_t a_row, size_t a_k, const float *panel,
         Vector sums[ROWS_MAX][2])
{
    Vector sum[ROWS_MAX][2] = {{{0}}};
    for (int k = 0; k < K; k++) {
        Vector b[2];
        for (int v = 0; v < vectors; v++)
            b[v] = vector_load(panel + v * VECTOR_LANES);
#pragma GCC unroll 12
        for (int i = 0; i < rows; i++)
            for (int v = 0; v < vectors; v++)
                sum[i][v] += a[(size_t)i * a_row] * b[v];
        a += a_k;
        panel += COLUMNS;
    }
#pragma GCC unroll 12
    for (int i = 0; i < rows; i++)
        for (int v = 0; v < vectors; v++)
            sums[i][v] = sum[i][v];
}

/* A tile for each number of rows and vectors that occurs. The last rows and columns get smaller ones, so that no element outside
 * A is read. Under AddressSanitizer one tile with loops serves all: the checks inside unrolled ones take a minute to compile. */
static void
sum_tile_of(int rows, int vectors, int K, const float *a, size_t a_row, size_t a_k, const float *panel,
            Vector sums[ROWS_MAX][2])
{
#ifdef __SANITIZE_ADDRESS__
    sum_tile(rows, vectors, K, a, a_row, a_k, panel, sums);
#else
#define TILE(rows)                                                                                                     \
    case 10 * (rows) + 1:                                                                                              \
        sum_tile(rows, 1, K, a, a_row, a_k, panel, sums);                                                              \
        break;                                                                                                         \
    case 10 * (rows) + 2:                                                                                              \
        sum_tile(rows, 2, K, a, a_row, a_k, panel, sums);                                                              \
        break;
    switch (10 * rows + vectors) {
        TILE(1) TILE(2) TILE(4) TILE(6) TILE(8) TILE(12)
    }
#undef TILE
#endif
}

/* How many of the rows that are left the next tile takes: all of a full one, then 8, 4, 2, 1. */
static int
rows_of_next(int left)
{
    return left >= ROWS ? ROWS : left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

/* C = alpha sums + beta C, for columns that are whole vectors, and for those that are not. */
static void
store_tile(int rows, int columns, float alpha, Vector sums[ROWS_MAX][2], float beta, float *c, size_t ldc)
{
    for (int i = 0; i < rows; i++, c += ldc) {
        if (columns % VECTOR_LANES == 0) {
            for (int v = 0; v < columns / VECTOR_LANES; v++) {
                float *at = c + v * VECTOR_LANES;
                vector_store(at, beta == 0 ? alpha * sums[i][v] : alpha * sums[i][v] + beta * vector_load(at));
            }
        } else {
            const float *sum = (const float *)sums[i];
            for (int n = 0; n < columns; n++)
                c[n] = beta == 0 ? alpha * sum[n] : alpha * sum[n] + beta * c[n];
        }
    }
}

/* The part of C with these rows and columns; both begin at the border of a tile. */
static void
multiply_part(const Product *p, int first_row, int end_row, int first_column, int end_column)
{
    static _Thread_local float panel[K_BLOCK * COLUMNS] __attribute__((aligned(64)));
    Vector sums[ROWS_MAX][2];
    for (int n = first_column, columns; n < end_column; n += columns) {
        columns = smaller(COLUMNS, end_column - n);
        int vectors = (columns + VECTOR_LANES - 1) / VECTOR_LANES, k = 0;
        do { /* once also for K = 0: C = beta C */
            int K = smaller(K_BLOCK, p->K - k);
            pack_panel(panel, p, k, K, n, columns);
            for (int m = first_row, rows; m < end_row; m += rows) {
                rows = rows_of_next(end_row - m);
                const float *a = p->A + (size_t)m * p->a_row + (size_t)k * p->a_k;
                sum_tile_of(rows, vectors, K, a, p->a_row, p->a_k, panel, sums);
                store_tile(rows, columns, p->alpha, sums, k == 0 ? p->beta : 1, p->C + (size_t)m * p->ldc + n, p->ldc);
            }
            k += K;
        } while (k < p->K);
    }
}

static long
tiles_of(long tile, long n)
{
    return (n + tile - 1) / tile;
}

/* Where the part of thread t begins, of n rows or columns. */
static int
tile_border(long t, long threads, long tile, long n)
{
    const long border = tiles_of(tile, n) * t / threads * tile;
    return (int)(border < n ? border : n);
}

/* Threads share the longer side of C, in whole tiles: which tile an element is in, and so its bits, is the same for any number
 * of them. */
static void
multiply_parallel(const Product *p, int threads)
{
    const long row_tiles = tiles_of(ROWS, p->M), column_tiles = tiles_of(COLUMNS, p->N);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int t = 0; t < threads; t++) {
        if (column_tiles >= row_tiles) {
            multiply_part(p, 0, p->M, tile_border(t, threads, COLUMNS, p->N),
                          tile_border(t + 1, threads, COLUMNS, p->N));
        } else {
            multiply_part(p, tile_border(t, threads, ROWS, p->M), tile_border(t + 1, threads, ROWS, p->M), 0, p->N);
        }
    }
}

void
gemm_register_tile(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
                   const float *B, int ldb, float beta, float *C, int ldc)
{
    const Product product = {
        .M = M,
        .N = N,
        .K = K,
        .alpha = alpha,
        .beta = beta,
        .A = A,
        .B = B,
        .a_row = transpose_a ? 1 : (size_t)lda,
        .a_k = transpose_a ? (size_t)lda : 1,
        .ldb = (size_t)ldb,
        .ldc = (size_t)ldc,
        .transpose_b = transpose_b,
        .C = C,
    };
    const int threads = (double)M * N * K < PARALLEL_MIN ? 1 : host_threads();
    if (threads == 1)
        multiply_part(&product, 0, M, 0, N);
    else
        multiply_parallel(&product, threads);
}
