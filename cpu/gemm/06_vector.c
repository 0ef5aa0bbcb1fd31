/* gemm, rung 6: vector micro-kernel.
 * Idea      say in the source what the registers hold: the tile is as large as they allow, and every sum is a vector.
 *
 *                          b: 2 vectors, loaded once for each k
 *               a[0] -> [ sum[0][0] | sum[0][1] ]       AVX-512: 14 x 2 sums, 2 of b, 1 of a: 31 of 32 registers
 *               a[1] -> [ sum[1][0] | sum[1][1] ]       AVX2:     6 x 2 sums, 2 of b, 1 of a: 15 of 16
 *               ...      ...                            NEON:    12 x 2 sums, 2 of b, 1 of a: 27 of 32
 *
 * Before    rung 5 leaves the tile to the compiler: 4 x 32, as many sums as it can be trusted to keep in registers.
 * Now       14 + 2 loads for 28 multiply-adds of 16 lanes. An FMA takes 4 cycles and two issue in each, so 8 sums
 *           would do to hide that; 28 make the loads cheap.
 * Wants     nothing.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "core/vector.h"
#include "cpu/gemm/pack.h"
#include "cpu/gemm/strided.h"

#if VECTOR_BYTES == 64
enum { ROWS = 14 };
#elif defined(__aarch64__)
enum { ROWS = 12 };
#else
enum { ROWS = 6 };
#endif
enum { COLUMNS = 2 * VECTOR_LANES };

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

/* BEGIN LISTING vector-micro-kernel */
static void
sum_tile(int K, const float *a, const float *b, float *sums)
{
    Vector sum[ROWS][2] = {{{0}}};
    for (int k = 0; k < K; k++, a += ROWS, b += COLUMNS) {
        const Vector b0 = vector_load(b), b1 = vector_load(b + VECTOR_LANES);
#pragma GCC unroll 14
        for (int m = 0; m < ROWS; m++) {
            sum[m][0] += a[m] * b0;
            sum[m][1] += a[m] * b1;
        }
    }
#pragma GCC unroll 14
    for (int m = 0; m < ROWS; m++, sums += COLUMNS) {
        vector_store(sums, sum[m][0]);
        vector_store(sums + VECTOR_LANES, sum[m][1]);
    }
}
/* END LISTING vector-micro-kernel */

static void
compute(const void *product, const GemmBlock *part, const void *a, const void *b)
{
    const StridedGemm *p = product;
    float sums[ROWS * COLUMNS] __attribute__((aligned(VECTOR_BYTES)));
    sum_tile(part->K, a, b, sums);
    for (int m = 0; m < part->rows; m++)
        gemm_finish_row(part->columns, p->alpha, sums + m * COLUMNS, gemm_beta(p, part->k),
                        gemm_c(p, part->m + m, part->n));
}

void
gemm_vector(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
            const float *B, int ldb, float beta, float *C, int ldc)
{
    const StridedGemm p = strided_gemm(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    five_loops(&(FiveLoops){.M = M,
                            .N = N,
                            .K = K,
                            .tile_rows = ROWS,
                            .tile_columns = COLUMNS,
                            .M_block = 28 * ROWS,
                            .N_block = 4096,
                            .K_block = 256,
                            .pack_a = pack_a,
                            .pack_b = pack_b,
                            .compute = compute,
                            .product = &p,
                            .threads = 1});
}
