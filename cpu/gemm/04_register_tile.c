/* gemm, rung 4: register tile.
 * Idea      keep a tile of C in registers while a whole block of k is summed up.
 *
 *                               b[k][0 .. COLUMNS-1]
 *               a[0][k]   ->    [ sum 0 ............ ]      for each k: ROWS elements of A and a row of B come in,
 *               a[1][k]   ->    [ sum 1 ............ ]      ROWS x COLUMNS products are added, nothing goes out
 *               ...             ...
 *
 * Before    blocked loads and stores an element of C for every multiplication: 3 memory operations for 1 multiply-add.
 * Now       ROWS + COLUMNS loads for ROWS x COLUMNS multiply-adds, and C is touched once for each K_BLOCK.
 * Wants     nothing. Tiles at the edges are shorter, and slower.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm/strided.h"
#include "cpu/partition.h"

enum { ROWS = 4, COLUMNS = 32, K_BLOCK = 256 };

/* EXERCISE 04.3  Register tile, first half: the tile (25 min, about 12 lines)
 * For all m < ROWS and n < COLUMNS write
 *     sums[m][n] = sum of op(A)(part->m + m, k) op(B)(k, part->n + n)     for k = part->k .. part->k + part->K - 1
 * without alpha and beta. The compiler knows the size of a whole tile: it keeps the sums in registers and makes vectors of the
 * columns, if the loop over k is the outermost one and the sums are an array of your own, float sum[ROWS][COLUMNS], until the
 * last k. gemm_a(p, part->m, part->k) points to the first element of op(A) that is needed; from row to row it is p->a_row
 * further, from k to k p->a_k. gemm_b(p, part->k, part->n) does so for op(B): from k to k it is p->b_k further, from column to
 * column 1.
 */
static void
sum_tile(const StridedGemm *p, const GemmBlock *part, float sums[ROWS][COLUMNS])
{
    /* BEGIN SOLUTION 04.3 */
    const float *restrict a = gemm_a(p, part->m, part->k), *restrict b = gemm_b(p, part->k, part->n);
    float sum[ROWS][COLUMNS] = {{0}};
    for (int k = 0; k < part->K; k++) {
        for (int n = 0; n < COLUMNS; n++)
            for (int m = 0; m < ROWS; m++)
                sum[m][n] += a[(size_t)m * p->a_row] * b[n];
        a += p->a_k;
        b += p->b_k;
    }
    for (int m = 0; m < ROWS; m++)
        for (int n = 0; n < COLUMNS; n++)
            sums[m][n] = sum[m][n];
    /* END SOLUTION */
}

/* EXERCISE 04.3  Register tile, second half: the edges (10 min, about 8 lines)
 * The same sums where fewer are left: sums[m][n] for m < part->rows and n < part->columns only. Here op(B) may be transposed, so
 * from column to column it is p->b_column further; gemm_b(p, k, n) knows. Do not read rows and columns that are not there.
 */
static void
sum_edge(const StridedGemm *p, const GemmBlock *part, float sums[ROWS][COLUMNS])
{
    /* BEGIN SOLUTION 04.3 */
    for (int m = 0; m < part->rows; m++)
        for (int n = 0; n < part->columns; n++) {
            const float *a = gemm_a(p, part->m + m, part->k), *b = gemm_b(p, part->k, part->n + n);
            float sum = 0;
            for (int k = 0; k < part->K; k++)
                sum += a[(size_t)k * p->a_k] * b[(size_t)k * p->b_k];
            sums[m][n] = sum;
        }
    /* END SOLUTION */
}

static void
add_tile(const StridedGemm *p, const GemmBlock *part)
{
    float sums[ROWS][COLUMNS];
    if (part->rows == ROWS && part->columns == COLUMNS && p->b_column == 1)
        sum_tile(p, part, sums);
    else
        sum_edge(p, part, sums);
    for (int m = 0; m < part->rows; m++)
        gemm_finish_row(part->columns, p->alpha, sums[m], gemm_beta(p, part->k), gemm_c(p, part->m + m, part->n));
}

void
gemm_register_tile(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
                   const float *B, int ldb, float beta, float *C, int ldc)
{
    const StridedGemm p = strided_gemm(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    int k = 0;
    do { /* once also for K = 0: C = beta C */
        for (int n = 0; n < N; n += COLUMNS)
            for (int m = 0; m < M; m += ROWS)
                add_tile(&p, &(GemmBlock){.m = m,
                                          .rows = smaller(ROWS, M - m),
                                          .n = n,
                                          .columns = smaller(COLUMNS, N - n),
                                          .k = k,
                                          .K = smaller(K_BLOCK, K - k)});
        k += K_BLOCK;
    } while (k < K);
}
