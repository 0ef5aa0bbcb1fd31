/* gemm_int8, rung 2: widened.
 * Idea      subtract the zero points and widen to 32 bits once, while packing: the micro-kernel is that of gemm, on
 *           integers.
 * Before    naive widens every element of A N times and every one of B M times, and does one multiplication after the other.
 * Now       one vector multiplication and one addition for each 16 products. There is no FMA for integers of 32
 *           bits, so this is slower than floats; a quarter of the bytes gains nothing yet.   Wants: nothing.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm_int8/blocks.h"

static void
pack_a(const void *product, int m, int rows, int k, int K, void *panel)
{
    const LowPrecisionGemm *p = product;
    const uint8_t *a = low_precision_a(p, m, k);
    int32_t *to = panel;
    for (int i = 0; i < K; i++, a += p->a_k, to += TILE_ROWS)
        for (int r = 0; r < TILE_ROWS; r++)
            to[r] = r < rows ? a[(size_t)r * p->a_row] - p->zero_a : 0;
}

static void
pack_b(const void *product, int n, int columns, int k, int K, void *panel)
{
    const LowPrecisionGemm *p = product;
    const int8_t *b = low_precision_b(p, k, n);
    int32_t *to = panel;
    for (int i = 0; i < K; i++, b += p->b_k, to += TILE_COLUMNS)
        for (int c = 0; c < TILE_COLUMNS; c++)
            to[c] = c < columns ? b[(size_t)c * p->b_column] - p->zero_b : 0;
}

static void
sum_tile(int K, const uint32_t *a, const uint32_t *b, uint32_t *sums)
{
    Words sum[TILE_ROWS][2] = {{{0}}};
    for (int k = 0; k < K; k++, a += TILE_ROWS, b += TILE_COLUMNS) {
        const Words b0 = words_load(b), b1 = words_load(b + VECTOR_LANES);
#pragma GCC unroll 14
        for (int m = 0; m < TILE_ROWS; m++) {
            sum[m][0] += a[m] * b0;
            sum[m][1] += a[m] * b1;
        }
    }
    memcpy(sums, sum, sizeof sum);
}

static void
compute(const void *product, const GemmBlock *part, const void *a, const void *b)
{
    uint32_t sums[TILE_ROWS * TILE_COLUMNS] __attribute__((aligned(VECTOR_BYTES)));
    sum_tile(part->K, a, b, sums);
    for (int m = 0; m < part->rows; m++)
        int8_finish_row(part->columns, sums + m * TILE_COLUMNS, part->k == 0,
                        low_precision_c(product, part->m + m, part->n));
}

void
gemm_int8_widened(bool transpose_a, bool transpose_b, int M, int N, int K, const uint8_t *A, int lda, int zero_a,
                  const int8_t *B, int ldb, int zero_b, int32_t *C, int ldc)
{
    const LowPrecisionGemm p = int8_gemm(transpose_a, transpose_b, K, A, lda, zero_a, B, ldb, zero_b, C, ldc);
    FiveLoops loops = low_precision_loops(M, N, K, &p);
    loops.pack_a = pack_a;
    loops.pack_b = pack_b;
    loops.compute = compute;
    five_loops(&loops);
}
