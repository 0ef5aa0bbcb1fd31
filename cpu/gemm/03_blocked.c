/* gemm, rung 3: blocked.
 * Idea      keep a K_BLOCK x N_BLOCK tile of B in L2 while all rows of A pass over it.
 *
 *                          N_BLOCK
 *                         +-------+-------+---               A tile of B is used by all M rows before the next one is
 *               K_BLOCK   | tile  |       |                  fetched. Of each row of A it needs K_BLOCK elements, and the
 *                         +-------+-------+---               part of the row of C that it adds to stays in L1
 *                         |       |       |                  for K_BLOCK additions.
 *
 * Before    reordered reads all of B for every row of C: M K N 4 bytes, from wherever B fits.
 * Now       B is read from memory once, and then from L2.   Wants: nothing; pays when B is larger than L2.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm/strided.h"
#include "cpu/partition.h"

enum { K_BLOCK = 128, N_BLOCK = 512 }; /* 256 KiB of B, and 2 KiB of a row of C */

/* c[n] += a * b[n stride]. */
static void
add_row(float *restrict c, int N, float a, const float *restrict b, size_t stride)
{
    if (stride == 1)
        for (int n = 0; n < N; n++)
            c[n] += a * b[n];
    else
        for (int n = 0; n < N; n++)
            c[n] += a * b[(size_t)n * stride];
}

/* EXERCISE 04.2  Block for the cache, first half: one tile of B (10 min, about 3 lines)
 * The tile has rows k .. k+K-1 and columns n .. n+N-1 of op(B). Let all p->M rows of C pass over it: to C[m][n .. n+N-1] add
 * alpha op(A)(m, i) times row i of op(B), columns n .. n+N-1, for each m and each i = k .. k+K-1. gemm_a, gemm_b, gemm_c
 * (strided.h) point to an element of op(A), op(B), C; p->b_column is the step along a row of op(B). C is scaled already.
 */
static void
add_tile(const StridedGemm *p, int k, int K, int n, int N)
{
    /* BEGIN SOLUTION 04.2 */
    for (int m = 0; m < p->M; m++)
        for (int i = k; i < k + K; i++)
            add_row(gemm_c(p, m, n), N, p->alpha * *gemm_a(p, m, i), gemm_b(p, i, n), p->b_column);
    /* END SOLUTION */
}

/* EXERCISE 04.2  Block for the cache, second half: all tiles (15 min, about 6 lines)
 * First C = beta C, all of it, and once; beta = 0 writes zeros and does not read C, which may hold NaN. Then call add_tile for
 * each tile of op(B): K_BLOCK rows and N_BLOCK columns, fewer at the lower and at the right edge.
 */
void
gemm_blocked(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
             const float *B, int ldb, float beta, float *C, int ldc)
{
    const StridedGemm p = strided_gemm(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    /* BEGIN SOLUTION 04.2 */
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++)
            C[(size_t)m * p.ldc + (size_t)n] = beta == 0 ? 0 : beta * C[(size_t)m * p.ldc + (size_t)n];
    for (int n = 0; n < N; n += N_BLOCK)
        for (int k = 0; k < K; k += K_BLOCK)
            add_tile(&p, k, smaller(K_BLOCK, K - k), n, smaller(N_BLOCK, N - n));
    /* END SOLUTION */
}
