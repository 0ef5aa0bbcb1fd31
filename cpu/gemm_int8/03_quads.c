/* gemm_int8, rung 3: quads.
 * Idea      leave the numbers narrow: a multiply-add takes four k of each lane (vpdpbusd), so panels hold groups of four k. It
 *           multiplies what is stored; the sums are corrected for the zero points, for which a panel has one word more
 *           (gemm_int8.h).
 *
 *                  b: 2 x 16 quads      b00 b10 b20 b30 | b01 b11 b21 b31 | ..    one word of 4 bytes for each column
 *               a: one quad for all lanes   a00 a01 a02 a03
 *               sum[0][n] += a00 b0n + a01 b1n + a02 b2n + a03 b3n                in each lane, n = 0, 1, ..
 *
 *               panel of A   word of k 0 | word of k 1 | .. | sum of each row         last word, 32 bits
 *               panel of B   word of k 0 | word of k 1 | .. | sum of each column
 *
 * Before    widened does a multiplication and an addition for one product in each lane, and its panels are four times as long.
 * Now       one instruction for four products. The sums cost one addition for each element packed, once for K / 4
 *           multiply-adds.
 * Wants     nothing. A last group that is not whole has zeros, which change neither products nor sums.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm_int8/blocks.h"
#include "cpu/gemm_int8/quads.h"

/* BEGIN LISTING int8-quads */
static void
pack_a(const void *product, int m, int rows, int k, int words, void *panel)
{
    const LowPrecisionGemm *p = product;
    const uint8_t *a = low_precision_a(p, m, k);
    uint8_t *to = panel;
    uint32_t *sums = (uint32_t *)panel + (words - 1) * TILE_ROWS;
    memset(panel, 0, (size_t)(words * TILE_ROWS) * sizeof(uint32_t));
    for (int i = 0; i < p->K; i++, a += p->a_k)
        for (int r = 0; r < rows; r++) {
            to[(i / 4 * TILE_ROWS + r) * 4 + i % 4] = a[(size_t)r * p->a_row];
            sums[r] += a[(size_t)r * p->a_row];
        }
}

static void
pack_b(const void *product, int n, int columns, int k, int words, void *panel)
{
    const LowPrecisionGemm *p = product;
    const int8_t *b = low_precision_b(p, k, n);
    int8_t *to = panel;
    int32_t *sums = (int32_t *)panel + (words - 1) * TILE_COLUMNS;
    memset(panel, 0, (size_t)(words * TILE_COLUMNS) * sizeof(uint32_t));
    for (int i = 0; i < p->K; i++, b += p->b_k)
        for (int c = 0; c < columns; c++) {
            to[(i / 4 * TILE_COLUMNS + c) * 4 + i % 4] = b[(size_t)c * p->b_column];
            sums[c] += b[(size_t)c * p->b_column];
        }
}

/* Ends with a and b at the sums of rows and columns. */
static void
sum_tile(const LowPrecisionGemm *p, int words, const uint32_t *a, const uint32_t *b, uint32_t *sums)
{
    Words sum[TILE_ROWS][2] = {{{0}}};
    for (int k = 0; k < words - 1; k++, a += TILE_ROWS, b += TILE_COLUMNS) {
        const Words b0 = words_load(b), b1 = words_load(b + VECTOR_LANES);
#pragma GCC unroll 14
        for (int m = 0; m < TILE_ROWS; m++) {
            sum[m][0] = quads_multiply_add(sum[m][0], words_splat(a[m]), b0);
            sum[m][1] = quads_multiply_add(sum[m][1], words_splat(a[m]), b1);
        }
    }
    const uint32_t zero_a = (uint32_t)p->zero_a, zero_b = (uint32_t)p->zero_b,
                   corner = (uint32_t)p->K * zero_a * zero_b;
#pragma GCC unroll 14
    for (int m = 0; m < TILE_ROWS; m++, sums += TILE_COLUMNS) {
        words_store(sums, sum[m][0] - zero_b * a[m] - zero_a * words_load(b) + corner);
        words_store(sums + VECTOR_LANES, sum[m][1] - zero_b * a[m] - zero_a * words_load(b + VECTOR_LANES) + corner);
    }
}
/* END LISTING int8-quads */

static void
compute(const void *product, const GemmBlock *part, const void *a, const void *b)
{
    const LowPrecisionGemm *p = product;
    uint32_t sums[TILE_ROWS * TILE_COLUMNS] __attribute__((aligned(VECTOR_BYTES)));
    sum_tile(p, part->K, a, b, sums);
    for (int m = 0; m < part->rows; m++)
        int8_finish_row(part->columns, sums + m * TILE_COLUMNS, p->first == 0,
                        low_precision_c(p, part->m + m, part->n));
}

void
gemm_int8_quads(bool transpose_a, bool transpose_b, int M, int N, int K, const uint8_t *A, int lda, int zero_a,
                const int8_t *B, int ldb, int zero_b, int32_t *C, int ldc)
{
    LowPrecisionGemm p = int8_gemm(transpose_a, transpose_b, K, A, lda, zero_a, B, ldb, zero_b, C, ldc);
    FiveLoops loops = low_precision_loops(M, N, 0, &p);
    loops.pack_a = pack_a;
    loops.pack_b = pack_b;
    loops.compute = compute;
    int8_blocks_of_k(&p, loops, 256);
}
