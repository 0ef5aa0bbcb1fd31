/* What the rungs on panels share: a product whose transposes are strides, and adding a row of a tile to C.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_INT8_PRODUCT_H
#define CPU_GEMM_INT8_PRODUCT_H

#include "core/checked.h"
#include "cpu/five_loops.h"
#include "cpu/gemm_int8/gemm_int8.h"
#include <stddef.h>

/* op(A)(m, k) is A[m * a_row + k * a_k], op(B)(k, n) is B[k * b_k + n * b_column]: one of the two strides is 1. */
typedef struct Product {
    const uint8_t *A;
    const int8_t *B;
    size_t a_row, a_k, b_k, b_column, ldc;
    int zero_a, zero_b;
    int32_t *C;
    int first, K; /* of the sum over k, the part that the panels hold: elements first .. first + K - 1 */
} Product;

static inline Product
product_create(bool transpose_a, bool transpose_b, int K, const uint8_t *A, int lda, int zero_a, const int8_t *B,
               int ldb, int zero_b, int32_t *C, int ldc)
{
    CHECK_THAT(K <= gemm_int8_longest(zero_a, zero_b), "sums of %d products may leave 32 bits; %d are the limit", K,
               gemm_int8_longest(zero_a, zero_b));
    return (Product){.A = A,
                     .B = B,
                     .a_row = transpose_a ? 1 : (size_t)lda,
                     .a_k = transpose_a ? (size_t)lda : 1,
                     .b_k = transpose_b ? 1 : (size_t)ldb,
                     .b_column = transpose_b ? (size_t)ldb : 1,
                     .ldc = (size_t)ldc,
                     .zero_a = zero_a,
                     .zero_b = zero_b,
                     .C = C,
                     .K = K};
}

static inline const uint8_t *
product_a(const Product *p, int m, int k)
{
    return p->A + (size_t)m * p->a_row + (size_t)(p->first + k) * p->a_k;
}

static inline const int8_t *
product_b(const Product *p, int k, int n)
{
    return p->B + (size_t)(p->first + k) * p->b_k + (size_t)n * p->b_column;
}

static inline int32_t *
product_c(const Product *p, int m, int n)
{
    return p->C + (size_t)m * p->ldc + (size_t)n;
}

/* c[n] = sum[n] for the part that begins a sum, c[n] += sum[n] for those after it. */
static inline void
product_finish(int columns, const uint32_t *sum, bool first, int32_t *c)
{
    for (int n = 0; n < columns; n++)
        c[n] = (int32_t)(first ? sum[n] : (uint32_t)c[n] + sum[n]);
}

/* Loops over k in parts of at most `words` words, each a product of its own that is added to C: rungs 3 and 4 need what the
 * sums of a whole panel's rows or columns are, and put them into one word more, behind the others. */
static inline void
product_in_parts(Product *p, FiveLoops loops, int words)
{
    const int K = p->K, all = ceil_div(K, 4), parts = all > 0 ? ceil_div(all, words) : 1;
    for (int i = 0; i < parts; i++) {
        const int begin = partition_begin(i, parts, all), end = partition_begin(i + 1, parts, all);
        p->first = 4 * begin;
        p->K = (4 * end < K ? 4 * end : K) - p->first;
        loops.K = loops.K_block = end - begin + 1;
        loops.product = p;
        five_loops(&loops);
    }
}

#endif
