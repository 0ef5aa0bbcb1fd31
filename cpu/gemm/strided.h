/* A product whose transposes are strides, and storing a row of a tile to C: what rungs 3 to 12 share.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_STRIDED_H
#define CPU_GEMM_STRIDED_H

#include "cpu/gemm/five_loops.h"
#include "cpu/gemm/gemm.h"
#include <stddef.h>

/* op(A)(m, k) is A[m * a_row + k * a_k], op(B)(k, n) is B[k * b_k + n * b_column]: one of the two strides is 1. */
typedef struct StridedGemm {
    int M, N, K;
    float alpha, beta;
    const float *A, *B;
    size_t a_row, a_k, b_k, b_column, ldc;
    float *C;
    const Epilogue *epilogue; /* of rung 12; or NULL */
    int first_n;              /* of a thread's block of columns: those before it, for the epilogue */
    size_t first_c;           /* and the index of its first output */
} StridedGemm;

static inline StridedGemm
strided_gemm(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
             const float *B, int ldb, float beta, float *C, int ldc)
{
    return (StridedGemm){.M = M,
                         .N = N,
                         .K = K,
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

/* The elements op(A)(m, k), op(B)(k, n), C(m, n). */
static inline const float *
gemm_a(const StridedGemm *p, int m, int k)
{
    return p->A + (size_t)m * p->a_row + (size_t)k * p->a_k;
}

static inline const float *
gemm_b(const StridedGemm *p, int k, int n)
{
    return p->B + (size_t)k * p->b_k + (size_t)n * p->b_column;
}

static inline float *
gemm_c(const StridedGemm *p, int m, int n)
{
    return p->C + (size_t)m * p->ldc + (size_t)n;
}

/* C = alpha sums + beta C for the block that begins a sum, C += alpha sums for those after it. */
static inline float
gemm_beta(const StridedGemm *p, int k)
{
    return k == 0 ? p->beta : 1.0f;
}

/* c[n] = alpha sum[n] + beta c[n]; beta = 0 does not read c. */
static inline void
gemm_finish_row(int columns, float alpha, const float *sum, float beta, float *c)
{
    if (beta == 0.0f)
        for (int n = 0; n < columns; n++)
            c[n] = alpha * sum[n];
    else
        for (int n = 0; n < columns; n++)
            c[n] = alpha * sum[n] + beta * c[n];
}

#endif
