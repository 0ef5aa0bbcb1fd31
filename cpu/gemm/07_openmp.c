/* gemm, rung 7: OpenMP.
 * Idea      threads share the longer side of C; each multiplies its part by rung 6, as if it were alone.
 *
 *               thread 0   rows 0 .. M/2-1    [ C ]  =  [ A ] [   B   ]        both read all of B, and both pack all of it
 *               thread 1   rows M/2 .. M-1    [ C ]  =  [ A ] [   B   ]
 *
 * Before    one core of all.
 * Now       all of them. No sum is cut, so the result has the same bits with any number of threads.
 * Still     every thread packs its own copy of B; rung 8 packs one together.
 * Wants     nothing; one thread below PARALLEL_MIN multiplications, where waking the others costs more than they save.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/gemm/product.h"

#define PARALLEL_MIN 2e6

void
gemm_openmp(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
            const float *B, int ldb, float beta, float *C, int ldc)
{
    const Product p = product_create(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    const int threads = (double)M * N * K < PARALLEL_MIN ? 1 : host_threads();
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int t = 0; t < threads; t++) {
        if (M >= N) {
            const int m = part_begin(t, threads, M), rows = part_begin(t + 1, threads, M) - m;
            gemm_vector(transpose_a, transpose_b, rows, N, K, alpha, product_a(&p, m, 0), lda, B, ldb, beta,
                        product_c(&p, m, 0), ldc);
        } else {
            const int n = part_begin(t, threads, N), columns = part_begin(t + 1, threads, N) - n;
            gemm_vector(transpose_a, transpose_b, M, columns, K, alpha, A, lda, product_b(&p, 0, n), ldb, beta,
                        product_c(&p, 0, n), ldc);
        }
    }
}
