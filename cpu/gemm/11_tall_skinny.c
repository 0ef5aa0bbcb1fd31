/* gemm, rung 11: tall and skinny.
 * Idea      shapes that do not fill a tile get an algorithm of their own.
 *
 *           One row, C = a B: four rows of B are read at once, each sequentially, and added to a chunk of C that stays in L1.
 *           Tiles would read B in blocks of a few vectors, each row from another page.
 *
 *           Few columns, or a few after the last whole vector: a vector along n would have most of its lanes empty; along k it is
 *           full. Each sum of 4 rows (one column: 8) is a vector, whose lanes are added up at the end, 8 sums at once.
 *
 *               k ->                                   columns of B, copied to rows
 *      A  m   [ vector ][ vector ][ part ]     times   [ vector ][ vector ][ part, zeros ]  n
 *         m+1 [ vector ][ vector ][ part ]             [ vector ][ vector ][ part, zeros ]  n+1
 *         ..                                           ..
 *
 *           A longer sum is computed INNER_K terms at a time: that many terms of AT_ONCE columns of B stay in L1. More
 *           columns take two passes over the same rows of A. Rows of an A from memory prefetch the next ones, which begin new
 *           pages.
 * Before    rung 10 computes 1 x N with a sixth of a tile's sums, and M x 10 with masks over most lanes: few sums, bound by the
 *           latency of the FMA.
 * Now       with one thread of a Zen 5, times rung 10 (AVX-512; AVX2):  1 x 1024 x 1024  1.30; 2.6      128 x 10 x 784  1.12; 1.1
 *           With AVX-512: 100 x 100 x 100, whose last 4 columns are inner products  1.06
 * Wants     A as stored; for one row, B as stored, too. Other shapes are computed by rung 10.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm/pack.h"
#include "cpu/gemm/tiles.h"
#include "cpu/partition.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* ---- one row: a vector times a matrix ---- */

enum { ROWS_OF_B = 4, CHUNK = 2048 }; /* CHUNK floats of C stay in L1 */

/* c[n] += sum over `rows` rows of a[i] b[i][n]. Inlined with `rows` constant. */
ALWAYS_INLINE void
add_rows(const int rows, int N, const float *a, const float *b, size_t b_k, float *c)
{
    Vector factor[ROWS_OF_B];
    for (int i = 0; i < rows; i++)
        factor[i] = vector_splat(a[i]);
    for (int n = 0; n < N; n += VECTOR_LANES) {
        const int lanes = N - n;
        Vector sum = lanes >= VECTOR_LANES ? vector_load(c + n) : vector_load_first(c + n, lanes);
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) {
            const float *x = b + (size_t)i * b_k + n;
            sum += factor[i] * (lanes >= VECTOR_LANES ? vector_load(x) : vector_load_first(x, lanes));
        }
        if (lanes >= VECTOR_LANES)
            vector_store(c + n, sum);
        else
            vector_store_first(c + n, sum, lanes);
    }
}

static void
multiply_chunk(const StridedGemm *p, int first, int N)
{
    float *c = gemm_c(p, 0, first), a[ROWS_OF_B];
    for (int n = 0; n < N; n++)
        c[n] = p->beta == 0.0f ? 0.0f : p->beta * c[n];
    for (int k = 0; k < p->K; k += ROWS_OF_B) {
        const int rows = smaller(ROWS_OF_B, p->K - k);
        for (int i = 0; i < rows; i++)
            a[i] = p->alpha * *gemm_a(p, 0, k + i);
        const float *b = gemm_b(p, k, first);
        if (rows == ROWS_OF_B)
            add_rows(ROWS_OF_B, N, a, b, p->b_k, c);
        else
            for (int i = 0; i < rows; i++)
                add_rows(1, N, a + i, b + (size_t)i * p->b_k, p->b_k, c);
    }
}

void
gemm_multiply_row(const StridedGemm *p)
{
    for (int n = 0; n < p->N; n += CHUNK)
        multiply_chunk(p, n, smaller(CHUNK, p->N - n));
}

/* ---- few columns: inner products ---- */

enum {
    AT_ONCE = 5,
    ROWS_MAX = 8,
    SUMS_MAX = 24,
    ROWS_IN_L2 = 32 /* of an A from memory, 160 KiB at most: all columns use them while they are in L2 */
};
_Static_assert((int)AT_ONCE <= (int)INNER_COLUMNS, "there is room for the columns that are computed at once");
_Static_assert((int)THREAD_ROWS >= (int)ROWS_MAX, "a thread's block of rows has inner products if the whole has");
/* c[rows][columns] = rows of A times columns of B. Inlined with both constant. Every load of A is masked, not only the last:
 * GCC 12 would otherwise load the same vector again for each multiply-add. */
ALWAYS_INLINE void
inner_products(const int rows, const int columns, const bool prefetch, int K, const float *a, size_t a_row,
               const float *b, float *c)
{
    Vector sum[SUMS_MAX] = {{0}};
    for (int k = 0; k < K; k += VECTOR_LANES) {
        Vector x[ROWS_MAX];
#pragma GCC unroll 8
        for (int m = 0; m < rows; m++)
            x[m] = vector_load_first(a + (size_t)m * a_row + k, K - k);
        if (prefetch)
#pragma GCC unroll 8
            for (int m = 0; m < rows; m++)
                __builtin_prefetch(a + (size_t)(m + rows) * a_row + k, 0, 3);
#pragma GCC unroll 8
        for (int n = 0; n < columns; n++) {
            const Vector y = vector_load(b + n * INNER_STRIDE + k);
#pragma GCC unroll 8
            for (int m = 0; m < rows; m++)
                sum[m * columns + n] += x[m] * y;
        }
    }
#pragma GCC unroll 3
    for (int i = 0; i < rows * columns; i += 8)
        octet_store(c + i, vector_sums(sum + i));
}

/* `columns` columns of C from n on, rows m .. end - 1, `rows` rows at a time. If fewer are left at the end of A, it computes the
 * last `rows` rows of A, of which it stores those from m on. */
ALWAYS_INLINE void
add_columns(const int rows, const int columns, const bool prefetch, const StridedGemm *p, const DotColumns *inner,
            int n, int m, int end)
{
    float c[SUMS_MAX] __attribute__((aligned(64)));
    const float *b = inner->b + (n - inner->n) * INNER_STRIDE;
    const float alpha = p->alpha, beta = gemm_beta(p, inner->k);
    for (; m < end; m += rows) {
        const int begin = m + rows <= p->M ? m : p->M - rows;
        inner_products(rows, columns, prefetch, inner->K, gemm_a(p, begin, inner->k), p->a_row, b, c);
        const int last = smaller(rows, end - begin);
        for (int i = m - begin; i < last; i++)
            gemm_finish_row(columns, alpha, c + i * columns, beta, gemm_c(p, begin + i, n));
    }
}

ALWAYS_INLINE void
few_columns(const bool prefetch, const StridedGemm *p, const DotColumns *inner, int n, int columns, int m, int end)
{
    switch (columns) {
    case 1:
        add_columns(8, 1, prefetch, p, inner, n, m, end);
        break;
    case 2:
        add_columns(4, 2, prefetch, p, inner, n, m, end);
        break;
    case 3:
        add_columns(4, 3, prefetch, p, inner, n, m, end);
        break;
    case 4:
        add_columns(4, 4, prefetch, p, inner, n, m, end);
        break;
    default:
        add_columns(4, 5, prefetch, p, inner, n, m, end);
    }
}

void
inner_begin(DotColumns *inner, const StridedGemm *p, int n, int columns, int k, int K)
{
    inner->n = n;
    inner->columns = columns;
    inner->k = k;
    inner->K = K;
    if (columns > AT_ONCE) {
        pack_panel(inner->b, INNER_STRIDE, gemm_b(p, k, n), p->b_k, p->b_column, K, columns);
        return;
    }
    const size_t step = p->b_k;
    for (int j = 0; j < columns; j++) {
        const float *restrict from = gemm_b(p, k, n + j);
        float *restrict to = inner->b + j * INNER_STRIDE;
        for (int i = 0; i < K; i++, from += step)
            to[i] = *from;
        vector_store(to + K, (Vector){0});
    }
}

void
inner_rows(const DotColumns *inner, const StridedGemm *p, int m, int rows)
{
    const bool prefetch = gemm_is_beyond_l3(p);
    const int calls = ceil_div(inner->columns, AT_ONCE), step = prefetch ? ROWS_IN_L2 : rows;
    for (int end = m + rows; m < end; m += step)
        for (int i = 0; i < calls; i++) {
            const int first = partition_begin(i, calls, inner->columns), n = inner->n + first;
            const int columns = partition_begin(i + 1, calls, inner->columns) - first, last = smaller(m + step, end);
            if (prefetch)
                few_columns(true, p, inner, n, columns, m, last);
            else
                few_columns(false, p, inner, n, columns, m, last);
        }
}

int
inner_count(const StridedGemm *p)
{
    const int left = p->N % VECTOR_LANES;
    const bool pays = (left < AT_ONCE && p->K >= 32) || (left <= INNER_COLUMNS && p->K >= 256);
    return pays && 8 * left <= 5 * VECTOR_LANES && p->a_k == 1 && p->M >= ROWS_MAX ? left : 0;
}

void
inner_columns(const StridedGemm *p, int n, int columns)
{
    const int blocks = ceil_div(p->K, INNER_K);
    for (int j = 0; j < blocks; j++) {
        const int k = partition_begin(j, blocks, p->K);
        DotColumns inner;
        inner_begin(&inner, p, n, columns, k, partition_begin(j + 1, blocks, p->K) - k);
        inner_rows(&inner, p, 0, p->M);
    }
}

/* ---- the rung ---- */

static void
multiply(const StridedGemm *p)
{
    if (p->M == 1 && p->b_column == 1) {
        gemm_multiply_row(p);
        return;
    }
    const int columns = inner_count(p);
    StridedGemm left = *p;
    left.N -= columns;
    if (left.N > 0)
        gemm_multiply_prefetch(&left);
    if (columns > 0)
        inner_columns(p, left.N, columns);
}

void
gemm_tall_skinny(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
                 const float *B, int ldb, float beta, float *C, int ldc)
{
    gemm_by_blocks(multiply, transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}
