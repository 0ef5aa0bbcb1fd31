/* The matrix product, row-major: C[M][N] = alpha op(A) op(B) + beta C.
 *
 *     op(A) is [M][K]: A as stored if !transpose_a, else A is stored as [K][M];   lda: floats from one stored row to the next
 *     op(B) is [K][N]: B as stored if !transpose_b, else B is stored as [N][K];   ldb likewise
 *     C is [M][N], ldc >= N; what lies between its rows is not touched
 *
 * M, N, K >= 0. K = 0 leaves C = beta C. beta = 0 overwrites C, also where it held NaN. C must not overlap A or B. NaN and
 * infinities in A or B reach C as the sums say. Every rung takes every shape, and gives the same bits whatever the number of
 * threads. Rungs differ from each other in rounding: the sum over k is taken in another order, or fused.
 * Lecture: lectures/02-backpropagation.md. SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_H
#define CPU_GEMM_H

#include <stdbool.h>

typedef void Gemm(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
                  const float *B, int ldb, float beta, float *C, int ldc);

Gemm gemm_naive;
Gemm gemm_reordered;
Gemm gemm_register_tile;

#endif
