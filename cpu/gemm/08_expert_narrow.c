/* The last columns of rung 8 as inner products. A vector along n would have most of its lanes empty; along k it is full.
 *
 *              k ->                                    columns of B, copied to rows
 *     A  m   [ vector ][ vector ][ part ]     times    [ vector ][ vector ][ part, zeros ]  n      each of 4 x columns sums is a
 *        m+1 [ vector ][ vector ][ part ]              [ vector ][ vector ][ part, zeros ]  n+1    vector; its lanes are added up
 *        ..                                            ..                                          at the end, 8 sums at once
 *
 * Of a longer sum, NARROW_K at a time: so much of the columns of B stays in the first cache.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm/08_expert_narrow.h"
#include "core/vector.h"
#include "cpu/gemm/08_expert_shares.h"
#include "cpu/parts.h"

enum {
    AT_ONCE = 5,
    ROWS_MAX = 8,
    SUMS_MAX = 24,
    A_NEAR = 1 << 22, /* elements, 16 MiB: measured. More than AT_ONCE columns read a longer A twice, tiles do not */
    COLUMN = NARROW_K + VECTOR_LANES /* from one copied column to the next: at 4 KiB they would drive each other out */
};
_Static_assert((int)SHARE_ROWS >= (int)ROWS_MAX, "a share of the rows is as narrow as the whole");
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* c[rows][columns] = rows of A times columns of B. Inlined with both constant. Every load of A is masked, not only the last: GCC 12
 * would otherwise load the same vector again for each multiply-add. */
ALWAYS_INLINE void
inner_products(const int rows, const int columns, int K, const float *a, size_t a_row, const float *b, float *c)
{
    Vector sum[SUMS_MAX] = {{0}};
    for (int k = 0; k < K; k += VECTOR_LANES) {
        Vector x[ROWS_MAX];
#pragma GCC unroll 8
        for (int m = 0; m < rows; m++)
            x[m] = vector_load_first(a + (size_t)m * a_row + k, K - k);
#pragma GCC unroll 8
        for (int n = 0; n < columns; n++) {
            const Vector y = vector_load(b + n * COLUMN + k);
#pragma GCC unroll 8
            for (int m = 0; m < rows; m++)
                sum[m * columns + n] += x[m] * y;
        }
    }
#pragma GCC unroll 3
    for (int i = 0; i < rows * columns; i += 8)
        octet_store(c + i, vector_sums(sum + i));
}

/* b[n][i] = B[k + i][first + n], i < K, and zeros up to the next vector. */
static void
copy_columns(const Product *p, int first, int columns, int k, int K, float *b)
{
    for (int i = 0; i < K; i++)
        for (int n = 0; n < columns; n++)
            b[n * COLUMN + i] = *product_b(p, k + i, first + n);
    for (int n = 0; n < columns; n++)
        vector_store(b + n * COLUMN + K, (Vector){0});
}

/* Columns n .. of C by so many rows at a time, summed over k .. k+K-1. The last time it begins earlier, and rows that are done are
 * not stored again. */
ALWAYS_INLINE void
add_columns(const int rows, const int columns, const Product *p, int n, int k, int K)
{
    float b[AT_ONCE * COLUMN] __attribute__((aligned(64))), c[SUMS_MAX] __attribute__((aligned(64)));
    copy_columns(p, n, columns, k, K, b);
    for (int m = 0; m < p->M; m += rows) {
        const int begin = m + rows <= p->M ? m : p->M - rows;
        inner_products(rows, columns, K, product_a(p, begin, k), p->a_row, b, c);
        for (int i = m - begin; i < rows; i++)
            product_finish(columns, p->alpha, c + i * columns, product_beta(p, k), product_c(p, begin + i, n));
    }
}

static void
few_columns(const Product *p, int n, int columns, int k, int K)
{
    switch (columns) {
    case 1:
        add_columns(8, 1, p, n, k, K);
        break;
    case 2:
        add_columns(4, 2, p, n, k, K);
        break;
    case 3:
        add_columns(4, 3, p, n, k, K);
        break;
    case 4:
        add_columns(4, 4, p, n, k, K);
        break;
    default:
        add_columns(4, 5, p, n, k, K);
    }
}

int
narrow_count(const Product *p)
{
    const int left = p->N % VECTOR_LANES;
    const bool pays = (left < AT_ONCE && p->K >= 32) || (left <= 2 * AT_ONCE && p->K >= 256);
    const bool a_stays_near = left <= AT_ONCE || p->K <= NARROW_K || (double)p->M * p->K <= A_NEAR;
    return pays && a_stays_near && 8 * left <= 5 * VECTOR_LANES && p->a_k == 1 && p->M >= ROWS_MAX ? left : 0;
}

void
narrow_columns(const Product *p, int n, int columns)
{
    const int calls = parts_of(columns, AT_ONCE), blocks = parts_of(p->K, NARROW_K);
    for (int j = 0; j < blocks; j++) {
        const int k = part_begin(j, blocks, p->K), K = part_begin(j + 1, blocks, p->K) - k;
        for (int i = 0; i < calls; i++) {
            const int begin = part_begin(i, calls, columns);
            few_columns(p, n + begin, part_begin(i + 1, calls, columns) - begin, k, K);
        }
    }
}
