/* What the rungs on panels share: a product whose transposes are strides, and adding a row of a tile to C.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_BF16_PRODUCT_H
#define CPU_GEMM_BF16_PRODUCT_H

#include "cpu/gemm/five_loops.h"
#include "cpu/gemm_bf16/gemm_bf16.h"

/* op(A)(m, k) is A[m * a_row + k * a_k], op(B)(k, n) is B[k * b_k + n * b_column]: one of the two strides is 1. */
typedef struct Product {
    int K;
    float alpha, beta;
    const Bf16 *A, *B;
    size_t a_row, a_k, b_k, b_column, ldc;
    float *C;
} Product;

static inline Product
product_create(bool transpose_a, bool transpose_b, int K, float alpha, const Bf16 *A, int lda, const Bf16 *B, int ldb,
               float beta, float *C, int ldc)
{
    return (Product){.K = K,
                     .alpha = alpha,
                     .beta = beta,
                     .A = A,
                     .B = B,
                     .a_row = transpose_a ? 1 : (size_t)lda,
                     .a_k = transpose_a ? (size_t)lda : 1,
                     .b_k = transpose_b ? 1 : (size_t)ldb,
                     .b_column = transpose_b ? (size_t)ldb : 1,
                     .ldc = (size_t)ldc,
                     .C = C};
}

static inline const Bf16 *
product_a(const Product *p, int m, int k)
{
    return p->A + (size_t)m * p->a_row + (size_t)k * p->a_k;
}

static inline const Bf16 *
product_b(const Product *p, int k, int n)
{
    return p->B + (size_t)k * p->b_k + (size_t)n * p->b_column;
}

static inline float *
product_c(const Product *p, int m, int n)
{
    return p->C + (size_t)m * p->ldc + (size_t)n;
}

/* How many of the elements of `pairs` pairs from `pair` on there are: one less than 2 * pairs at the end of an odd K. */
static inline int
product_elements(const Product *p, int pair, int pairs)
{
    return 2 * pairs <= p->K - 2 * pair ? 2 * pairs : p->K - 2 * pair;
}

/* C = alpha sums + beta C for the part that begins a sum, C += alpha sums for those after it. */
static inline float
product_beta(const Product *p, int k)
{
    return k == 0 ? p->beta : 1.0f;
}

/* c[n] = alpha sum[n] + beta c[n]; beta = 0 does not read c. */
static inline void
product_finish(int columns, float alpha, const float *sum, float beta, float *c)
{
    if (beta == 0.0f)
        for (int n = 0; n < columns; n++)
            c[n] = alpha * sum[n];
    else
        for (int n = 0; n < columns; n++)
            c[n] = alpha * sum[n] + beta * c[n];
}

#endif
