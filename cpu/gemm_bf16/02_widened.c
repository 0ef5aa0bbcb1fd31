/* gemm_bf16, rung 2: widened.
 * Idea      widen each element once, while it is packed: the panels hold floats, and the micro-kernel is that of gemm.
 * Before    naive widens every element of A N times and every one of B M times, and does one multiplication after the other.
 * Now       the speed of gemm's vector rung, as on a processor that knows nothing of bf16. What bf16 gives here is half the
 *           memory: for A and B where they lie, but no longer in the panels.   Wants: nothing.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm_bf16/product.h"
#include "cpu/words.h"

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
    const Product *p = product;
    pack(panel, TILE_ROWS, product_a(p, m, k), p->a_row, p->a_k, rows, K);
}

static void
pack_b(const void *product, int n, int columns, int k, int K, void *panel)
{
    const Product *p = product;
    pack(panel, TILE_COLUMNS, product_b(p, k, n), p->b_column, p->b_k, columns, K);
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
compute(const void *product, const Part *part, const void *a, const void *b)
{
    const Product *p = product;
    float sums[TILE_ROWS * TILE_COLUMNS] __attribute__((aligned(VECTOR_BYTES)));
    sum_tile(part->K, a, b, sums);
    for (int m = 0; m < part->rows; m++)
        product_finish(part->columns, p->alpha, sums + m * TILE_COLUMNS, product_beta(p, part->k),
                       product_c(p, part->m + m, part->n));
}

void
gemm_bf16_widened(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const Bf16 *A, int lda,
                  const Bf16 *B, int ldb, float beta, float *C, int ldc)
{
    const Product p = product_create(transpose_a, transpose_b, K, alpha, A, lda, B, ldb, beta, C, ldc);
    five_loops(&(FiveLoops){.M = M,
                            .N = N,
                            .K = K,
                            .tile_rows = TILE_ROWS,
                            .tile_columns = TILE_COLUMNS,
                            .M_block = 28 * TILE_ROWS,
                            .N_block = 4096,
                            .K_block = 256,
                            .pack_a = pack_a,
                            .pack_b = pack_b,
                            .compute = compute,
                            .product = &p,
                            .threads = 1});
}
