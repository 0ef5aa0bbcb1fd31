/* gemm, rung 5: packed panels.
 * Idea      copy the operands, once, into the order in which the micro-kernel reads them, in blocks of the caches' sizes: the
 *           five loops of cpu/gemm/five_loops.h. This file has only what those loops call.
 * Before    the register tile reads A with a stride of lda and B with one of ldb: a line, often a page of memory for each k.
 * Now       both come in one stream each from the cache that they were packed into. A transposed operand costs no more than
 *           another one, since packing ends the difference. Packing itself moves M K N (1/N + 1/M) elements, each one once or
 *           a few times.
 * Wants     nothing. A product so small that nothing is used again pays for packing all the same.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm/pack.h"
#include "cpu/gemm/strided.h"

enum { ROWS = 4, COLUMNS = 32 };

static void
pack_a(const void *product, int m, int rows, int k, int K, void *panel)
{
    const StridedGemm *p = product;
    pack_padded(panel, ROWS, gemm_a(p, m, k), p->a_row, p->a_k, rows, K);
}

static void
pack_b(const void *product, int n, int columns, int k, int K, void *panel)
{
    const StridedGemm *p = product;
    pack_padded(panel, COLUMNS, gemm_b(p, k, n), p->b_column, p->b_k, columns, K);
}

/* The micro-kernel, in plain C: the compiler makes vectors of the columns. */
static void
sum_tile(int K, const float *restrict a, const float *restrict b, float sums[ROWS][COLUMNS])
{
    float sum[ROWS][COLUMNS] = {{0}};
    for (int k = 0; k < K; k++, a += ROWS, b += COLUMNS)
        for (int n = 0; n < COLUMNS; n++)
            for (int m = 0; m < ROWS; m++)
                sum[m][n] += a[m] * b[n];
    for (int m = 0; m < ROWS; m++)
        for (int n = 0; n < COLUMNS; n++)
            sums[m][n] = sum[m][n];
}

static void
compute(const void *product, const GemmBlock *part, const void *a, const void *b)
{
    const StridedGemm *p = product;
    float sums[ROWS][COLUMNS];
    sum_tile(part->K, a, b, sums);
    for (int m = 0; m < part->rows; m++)
        gemm_finish_row(part->columns, p->alpha, sums[m], gemm_beta(p, part->k), gemm_c(p, part->m + m, part->n));
}

void
gemm_packed(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
            const float *B, int ldb, float beta, float *C, int ldc)
{
    const StridedGemm p = strided_gemm(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    five_loops(&(FiveLoops){.M = M,
                            .N = N,
                            .K = K,
                            .tile_rows = ROWS,
                            .tile_columns = COLUMNS,
                            .M_block = 384,
                            .N_block = 4096,
                            .K_block = 256,
                            .pack_a = pack_a,
                            .pack_b = pack_b,
                            .compute = compute,
                            .product = &p,
                            .threads = 1});
}
