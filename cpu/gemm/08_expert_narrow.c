/* The last columns of rung 8 as inner products. A vector along n would have most of its lanes empty; along k it is full.
 *
 *              k ->                                    columns of B, copied to rows
 *     A  m   [ vector ][ vector ][ part ]     times    [ vector ][ vector ][ part, zeros ]  n      each of 4 x columns sums is a
 *        m+1 [ vector ][ vector ][ part ]              [ vector ][ vector ][ part, zeros ]  n+1    vector; its lanes are added up
 *        ..                                            ..                                          at the end, 8 sums at once
 *
 * Of a longer sum, NARROW_K at a time: so much of AT_ONCE columns of B stays in the first cache. More columns take two passes over
 * the same rows of A. While rows of an A from memory are multiplied, the next ones are asked for: they begin new pages, as those of
 * tiles do.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm/08_expert_narrow.h"
#include "core/vector.h"
#include "cpu/float_pack.h"
#include "cpu/gemm/08_expert_shares.h"
#include "cpu/gemm/08_expert_tiles.h"
#include "cpu/partition.h"

enum {
    AT_ONCE = 5,
    ROWS_MAX = 8,
    SUMS_MAX = 24,
    ROWS_NEAR = 32 /* of an A from memory, 160 KiB at most: all columns use them while they are near */
};
_Static_assert((int)AT_ONCE <= (int)NARROW_COLUMNS, "there is room for as many columns as are taken at once");
_Static_assert((int)SHARE_ROWS >= (int)ROWS_MAX, "a share of the rows is as narrow as the whole");
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* c[rows][columns] = rows of A times columns of B. Inlined with both constant. Every load of A is masked, not only the last: GCC 12
 * would otherwise load the same vector again for each multiply-add. */
ALWAYS_INLINE void
inner_products(const int rows, const int columns, const bool ahead, int K, const float *a, size_t a_row, const float *b,
               float *c)
{
    Vector sum[SUMS_MAX] = {{0}};
    for (int k = 0; k < K; k += VECTOR_LANES) {
        Vector x[ROWS_MAX];
#pragma GCC unroll 8
        for (int m = 0; m < rows; m++)
            x[m] = vector_load_first(a + (size_t)m * a_row + k, K - k);
        if (ahead)
#pragma GCC unroll 8
            for (int m = 0; m < rows; m++)
                __builtin_prefetch(a + (size_t)(m + rows) * a_row + k, 0, 3);
#pragma GCC unroll 8
        for (int n = 0; n < columns; n++) {
            const Vector y = vector_load(b + n * NARROW_STEP + k);
#pragma GCC unroll 8
            for (int m = 0; m < rows; m++)
                sum[m * columns + n] += x[m] * y;
        }
    }
#pragma GCC unroll 3
    for (int i = 0; i < rows * columns; i += 8)
        octet_store(c + i, vector_sums(sum + i));
}

/* `columns` columns of C from n on, rows m .. end - 1, so many rows at a time. The last time may begin earlier; only those rows are
 * stored. */
ALWAYS_INLINE void
add_columns(const int rows, const int columns, const bool ahead, const Product *p, const Narrow *narrow, int n, int m,
            int end)
{
    float c[SUMS_MAX] __attribute__((aligned(64)));
    const float *b = narrow->b + (n - narrow->n) * NARROW_STEP;
    const float alpha = p->alpha, beta = product_beta(p, narrow->k);
    for (; m < end; m += rows) {
        const int begin = m + rows <= p->M ? m : p->M - rows;
        inner_products(rows, columns, ahead, narrow->K, product_a(p, begin, narrow->k), p->a_row, b, c);
        const int last = smaller(rows, end - begin);
        for (int i = m - begin; i < last; i++)
            product_finish(columns, alpha, c + i * columns, beta, product_c(p, begin + i, n));
    }
}

ALWAYS_INLINE void
few_columns(const bool ahead, const Product *p, const Narrow *narrow, int n, int columns, int m, int end)
{
    switch (columns) {
    case 1:
        add_columns(8, 1, ahead, p, narrow, n, m, end);
        break;
    case 2:
        add_columns(4, 2, ahead, p, narrow, n, m, end);
        break;
    case 3:
        add_columns(4, 3, ahead, p, narrow, n, m, end);
        break;
    case 4:
        add_columns(4, 4, ahead, p, narrow, n, m, end);
        break;
    default:
        add_columns(4, 5, ahead, p, narrow, n, m, end);
    }
}

void
narrow_begin(Narrow *narrow, const Product *p, int n, int columns, int k, int K)
{
    narrow->n = n;
    narrow->columns = columns;
    narrow->k = k;
    narrow->K = K;
    if (columns > AT_ONCE) {
        pack_panel(narrow->b, NARROW_STEP, product_b(p, k, n), p->b_k, p->b_column, K, columns);
        return;
    }
    const size_t step = p->b_k;
    for (int j = 0; j < columns; j++) {
        const float *restrict from = product_b(p, k, n + j);
        float *restrict to = narrow->b + j * NARROW_STEP;
        for (int i = 0; i < K; i++, from += step)
            to[i] = *from;
        vector_store(to + K, (Vector){0});
    }
}

void
narrow_rows(const Narrow *narrow, const Product *p, int m, int rows)
{
    const bool ahead = product_is_from_memory(p);
    const int calls = ceil_div(narrow->columns, AT_ONCE), near = ahead ? ROWS_NEAR : rows;
    for (int end = m + rows; m < end; m += near)
        for (int i = 0; i < calls; i++) {
            const int first = partition_begin(i, calls, narrow->columns), n = narrow->n + first;
            const int columns = partition_begin(i + 1, calls, narrow->columns) - first, last = smaller(m + near, end);
            if (ahead)
                few_columns(true, p, narrow, n, columns, m, last);
            else
                few_columns(false, p, narrow, n, columns, m, last);
        }
}

int
narrow_count(const Product *p)
{
    const int left = p->N % VECTOR_LANES;
    const bool pays = (left < AT_ONCE && p->K >= 32) || (left <= NARROW_COLUMNS && p->K >= 256);
    return pays && 8 * left <= 5 * VECTOR_LANES && p->a_k == 1 && p->M >= ROWS_MAX ? left : 0;
}

void
narrow_part(const Product *p, const Part *part)
{
    Narrow narrow;
    narrow_begin(&narrow, p, part->n, part->columns, part->k, part->K);
    narrow_rows(&narrow, p, part->m, part->rows);
}

void
narrow_columns(const Product *p, int n, int columns)
{
    const int blocks = ceil_div(p->K, NARROW_K);
    for (int j = 0; j < blocks; j++) {
        const int k = partition_begin(j, blocks, p->K);
        narrow_part(
            p,
            &(Part){.rows = p->M, .n = n, .columns = columns, .k = k, .K = partition_begin(j + 1, blocks, p->K) - k});
    }
}
