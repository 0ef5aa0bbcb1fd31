/* gemm_bf16, rung 2: widened.
 * Idea      widen each element once, while it is packed: the panels hold floats, and the micro-kernel is that of gemm.
 * Before    naive widens every element of A N times and every one of B M times, and does one multiplication after the other.
 * Now       the throughput of gemm's vector rung, as on a processor without instructions for bf16. A and B take half the
 *           memory, the panels do not.   Wants: nothing.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm/low_precision.h"
#include "cpu/gemm_bf16/gemm_bf16.h"

/* panel[k][width] from x(i, k) = x[i * x_i + k * x_k], i < count; zeros for the others. */
static void
pack(float *restrict panel, int width, const Bf16 *restrict x, size_t x_i, size_t x_k, int count, int K)
{
    for (int k = 0; k < K; k++, panel += width, x += x_k) {
        for (int i = 0; i < count; i++)
            panel[i] = bf16_to_float(x[(size_t)i * x_i]);
        for (int i = count; i < width; i++)
            panel[i] = 0.0f;
    }
}

static void
pack_a(const void *product, int m, int rows, int k, int K, void *panel)
{
    const LowPrecisionGemm *p = product;
    pack(panel, TILE_ROWS, low_precision_a(p, m, k), p->a_row, p->a_k, rows, K);
}

static void
pack_b(const void *product, int n, int columns, int k, int K, void *panel)
{
    const LowPrecisionGemm *p = product;
    pack(panel, TILE_COLUMNS, low_precision_b(p, k, n), p->b_column, p->b_k, columns, K);
}

static void
sum_tile(int K, const float *a, const float *b, float *sums)
{
    Vector sum[TILE_ROWS][2] = {{{0}}};
    for (int k = 0; k < K; k++, a += TILE_ROWS, b += TILE_COLUMNS) {
        const Vector b0 = vector_load(b), b1 = vector_load(b + VECTOR_LANES);
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
    const LowPrecisionGemm *p = product;
    float sums[TILE_ROWS * TILE_COLUMNS] __attribute__((aligned(VECTOR_BYTES)));
    sum_tile(part->K, a, b, sums);
    for (int m = 0; m < part->rows; m++)
        gemm_finish_row(part->columns, p->alpha, sums + m * TILE_COLUMNS, part->k == 0 ? p->beta : 1.0f,
                        low_precision_c(p, part->m + m, part->n));
}

void
gemm_bf16_widened(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const Bf16 *A, int lda,
                  const Bf16 *B, int ldb, float beta, float *C, int ldc)
{
    LowPrecisionGemm p = low_precision_gemm(sizeof(Bf16), transpose_a, transpose_b, K, A, lda, B, ldb, C, ldc);
    p.alpha = alpha;
    p.beta = beta;
    FiveLoops loops = low_precision_loops(M, N, K, &p);
    loops.pack_a = pack_a;
    loops.pack_b = pack_b;
    loops.compute = compute;
    five_loops(&loops);
}
