/* gemv, rung 5: narrow.
 * Idea      rows that would leave most of a vector empty are packed tighter.
 *
 *               N = 5 .. 8       half a vector a row (where a vector has 16 lanes)
 *               N = 1 .. 4       if the rows lie without gaps (lda = N), 16 rows are N full vectors:  a a a b b b c c c d d ..
 *                                With N known, the compiler takes them apart into vectors of columns: y = sum of x_j column_j.
 *
 * Before    a row of 3 columns kept 13 of 16 lanes idle, and had its sums added up across the lanes.
 * Now       no idle lanes, or half of them; a sum across 8 lanes, or none.
 * Model     rung 4's; for the rows that this is about, none.
 * Wants     nothing (any M, N): other shapes are rung 4's.
 * Lecture   lectures/02-backpropagation.md
 * SPDX-License-Identifier: MIT */
#include "cpu/gemv/gemv.h"

/* N columns without gaps; N is constant where this is inlined. */
static inline __attribute__((always_inline)) void
columns(int M, const int N, float alpha, const float *A, const float *x, float beta, float *y)
{
    for (int i = 0; i < M; i++) {
        float sum = 0.0f;
        for (int j = 0; j < N; j++)
            sum += A[(size_t)i * (size_t)N + (size_t)j] * x[j];
        gemv_finish(1, alpha, &sum, beta, y + i);
    }
}

#if VECTOR_BYTES == 64
/* N <= 8, eight rows at a time. Returns how many rows are done. */
static int
half_vectors(int M, int N, float alpha, const float *A, size_t lda, const float *x, float beta, float *y)
{
    const Octet part = octet_load_first(x, N);
    int i = 0;
    for (; M - i >= 8; i += 8) {
        Octet product[8];
#pragma GCC unroll 8
        for (int r = 0; r < 8; r++)
            product[r] = octet_load_first(A + (size_t)(i + r) * lda, N) * part;
        gemv_finish_eight(alpha, octet_sums(product), beta, y + i);
    }
    return i;
}
#endif

void
gemv_narrow(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    int done = M;
    if (N == 1 && lda == 1)
        columns(M, 1, alpha, A, x, beta, y);
    else if (N == 2 && lda == 2)
        columns(M, 2, alpha, A, x, beta, y);
    else if (N == 3 && lda == 3)
        columns(M, 3, alpha, A, x, beta, y);
    else if (N == 4 && lda == 4)
        columns(M, 4, alpha, A, x, beta, y);
#if VECTOR_BYTES == 64
    else if (N <= 8)
        done = half_vectors(M, N, alpha, A, (size_t)lda, x, beta, y);
#endif
    else
        done = 0;
    gemv_rows(M - done, N, alpha, A + (size_t)done * (size_t)lda, lda, x, beta, y + done);
}
