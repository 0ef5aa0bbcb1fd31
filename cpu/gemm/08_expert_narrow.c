/* The last columns of rung 8 as inner products. A vector along n would have most of its lanes empty; along k it is full.
 *
 *              k ->                                    columns of B, copied to rows
 *     A  m   [ vector ][ vector ][ part ]     times    [ vector ][ vector ][ part, zeros ]  n      each of 4 x columns sums is a
 *        m+1 [ vector ][ vector ][ part ]              [ vector ][ vector ][ part, zeros ]  n+1    vector; its lanes are added up
 *        ..                                            ..                                          at the end, 8 sums at once
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm/08_expert_narrow.h"
#include "core/vector.h"

enum { AT_ONCE = 5, ROWS_MAX = 8, SUMS_MAX = 24 };

/* c[rows][columns] = rows of A times columns of B. Inlined with both constant. */
static inline __attribute__((always_inline)) void
inner_products(const int rows, const int columns, int K, const float *const a[ROWS_MAX], const float (*b)[NARROW_K],
               float *c)
{
    Vector sum[SUMS_MAX] = {{0}};
    for (int k = 0; k < K; k += VECTOR_LANES) {
        Vector x[ROWS_MAX];
#pragma GCC unroll 8
        for (int m = 0; m < rows; m++)
            x[m] = k + VECTOR_LANES <= K ? vector_load(a[m] + k) : vector_load_first(a[m] + k, K - k);
#pragma GCC unroll 8
        for (int n = 0; n < columns; n++) {
            const Vector y = vector_load(b[n] + k);
#pragma GCC unroll 8
            for (int m = 0; m < rows; m++)
                sum[m * columns + n] += x[m] * y;
        }
    }
    for (int i = 0; i < rows * columns; i += 8)
        octet_store(c + i, vector_sums(sum + i));
}

/* b[n][k] = B[k][first + n], and zeros up to the next vector. */
static void
copy_columns(const Product *p, int first, int columns, float (*b)[NARROW_K])
{
    const int end = parts_of(p->K, VECTOR_LANES) * VECTOR_LANES;
    for (int n = 0; n < columns; n++) {
        const float *from = product_b(p, 0, first + n);
        for (int k = 0; k < p->K; k++)
            b[n][k] = from[(size_t)k * p->b_k];
        for (int k = p->K; k < end; k++)
            b[n][k] = 0.0f;
    }
}

static void
few_columns(const Product *p, int first, int columns)
{
    float b[AT_ONCE][NARROW_K] __attribute__((aligned(64))), c[SUMS_MAX];
    const int rows = columns == 1 ? 8 : 4;
    copy_columns(p, first, columns, b);
    for (int m = 0; m < p->M; m += rows) {
        const float *a[ROWS_MAX];
        for (int i = 0; i < rows; i++) /* behind the last row: the last row again */
            a[i] = product_a(p, m + i < p->M ? m + i : p->M - 1, 0);
        if (columns == 1)
            inner_products(8, 1, p->K, a, b, c);
        else if (columns == 2)
            inner_products(4, 2, p->K, a, b, c);
        else if (columns == 3)
            inner_products(4, 3, p->K, a, b, c);
        else if (columns == 4)
            inner_products(4, 4, p->K, a, b, c);
        else
            inner_products(4, 5, p->K, a, b, c);
        for (int i = 0; i < rows && m + i < p->M; i++)
            product_finish(columns, p->alpha, c + i * columns, p->beta, product_c(p, m + i, first));
    }
}

int
narrow_count(const Product *p)
{
    const int left = p->N % VECTOR_LANES;
    const bool pays = (left < AT_ONCE && p->K >= 32) || (left <= 2 * AT_ONCE && p->K >= 256);
    return pays && 8 * left <= 5 * VECTOR_LANES && p->a_k == 1 && p->K <= NARROW_K ? left : 0;
}

void
narrow_columns(const Product *p, int n, int columns)
{
    const int calls = parts_of(columns, AT_ONCE);
    for (int i = 0; i < calls; i++) {
        const int begin = part_begin(i, calls, columns);
        few_columns(p, n + begin, part_begin(i + 1, calls, columns) - begin);
    }
}
