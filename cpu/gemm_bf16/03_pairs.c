/* gemm_bf16, rung 3: pairs.
 * Idea      leave the numbers narrow: a multiply-add takes two k of each lane (vdpbf16ps), so panels hold pairs of k.
 *
 *                  b: 2 x 16 pairs        b00 b10 | b01 b11 | b02 b12 | ..      one word of 4 bytes for each column
 *               a: one pair for all lanes   a00 a01
 *               sum[0][n] += a01 b1n, then += a00 b0n                           in each lane, n = 0, 1, ..
 *
 * Before    widened does one multiplication in each lane at a time, and its panels are twice as long.
 * Now       two of them: half the instructions, and half the bytes from the caches. A processor without that instruction widens
 *           in the innermost loop, where rung 2 did so once, and is slower than rung 2.
 * Wants     nothing. An odd K ends with a pair whose second half is zero.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm_bf16/gemm_bf16.h"
#include "cpu/gemm_bf16/pairs.h"
#include "cpu/partition.h"

/* BEGIN LISTING bf16-pairs */
/* panel[k / 2][width][k % 2] from x(i, k) = x[i * x_i + k * x_k]; zeros where there is no such i or k. */
static void
pack(Bf16 *restrict panel, int width, const Bf16 *restrict x, size_t x_i, size_t x_k, int count, int K)
{
    memset(panel, 0, (size_t)((K + 1) / 2 * width) * sizeof(uint32_t));
    for (int k = 0; k < K; k++, x += x_k)
        for (int i = 0; i < count; i++)
            panel[(k / 2 * width + i) * 2 + k % 2] = x[(size_t)i * x_i];
}

/* K: pairs. */
static void
sum_tile(int K, const uint32_t *a, const uint32_t *b, float *sums)
{
    Vector sum[TILE_ROWS][2] = {{{0}}};
    for (int k = 0; k < K; k++, a += TILE_ROWS, b += TILE_COLUMNS) {
        const Words b0 = words_load(b), b1 = words_load(b + VECTOR_LANES);
#pragma GCC unroll 14
        for (int m = 0; m < TILE_ROWS; m++) {
            sum[m][0] = pairs_multiply_add(sum[m][0], words_splat(a[m]), b0);
            sum[m][1] = pairs_multiply_add(sum[m][1], words_splat(a[m]), b1);
        }
    }
    memcpy(sums, sum, sizeof sum);
}
/* END LISTING bf16-pairs */

static void
pack_a(const void *product, int m, int rows, int k, int K, void *panel)
{
    const LowPrecisionGemm *p = product;
    pack(panel, TILE_ROWS, low_precision_a(p, m, 2 * k), p->a_row, p->a_k, rows, smaller(2 * K, p->K - 2 * k));
}

static void
pack_b(const void *product, int n, int columns, int k, int K, void *panel)
{
    const LowPrecisionGemm *p = product;
    pack(panel, TILE_COLUMNS, low_precision_b(p, 2 * k, n), p->b_column, p->b_k, columns, smaller(2 * K, p->K - 2 * k));
}

static void
compute(const void *product, const GemmBlock *part, const void *a, const void *b)
{
    const LowPrecisionGemm *p = product;
    float sums[TILE_ROWS * TILE_COLUMNS] __attribute__((aligned(VECTOR_BYTES)));
    sum_tile(part->K, a, b, sums);
    for (int m = 0; m < part->rows; m++)
        gemm_finish_row(part->columns, p->alpha, sums + m * TILE_COLUMNS, part->k == 0 ? p->beta : 1.0f,
                        low_precision_c(p, part->m + m, part->n));
}

void
gemm_bf16_pairs(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const Bf16 *A, int lda,
                const Bf16 *B, int ldb, float beta, float *C, int ldc)
{
    LowPrecisionGemm p = low_precision_gemm(sizeof(Bf16), transpose_a, transpose_b, K, A, lda, B, ldb, C, ldc);
    p.alpha = alpha;
    p.beta = beta;
    FiveLoops loops = low_precision_loops(M, N, ceil_div(K, 2), &p);
    loops.pack_a = pack_a;
    loops.pack_b = pack_b;
    loops.compute = compute;
    five_loops(&loops);
}
