/* The matrix product, row-major: C[M][N] = alpha op(A) op(B) + beta C.
 *
 *     op(A) is [M][K]: A as stored if !transpose_a, else A is stored as [K][M];   lda: floats from one stored row to the next
 *     op(B) is [K][N]: B as stored if !transpose_b, else B is stored as [N][K];   ldb likewise
 *     C is [M][N], ldc >= N; what lies between its rows is not touched
 *
 * M, N, K >= 0. K = 0 leaves C = beta C. beta = 0 overwrites C, also where it held NaN. C must not overlap A or B. NaN and
 * infinities in A or B reach C as the sums say. Every rung takes every shape, and gives the same bits whatever the number of
 * threads. Rungs differ from each other in rounding: the sum over k is taken in another order, or fused.
 * Lecture: lectures/04-gemm-cpu.md. SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_H
#define CPU_GEMM_H

#include "core/epilogue.h"
#include <stdbool.h>

typedef void Gemm(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
                  const float *B, int ldb, float beta, float *C, int ldc);

/* clang-format off */
Gemm gemm_naive;         /* 01: three loops */
Gemm gemm_reordered;     /* 02: along the rows of B and C */
Gemm gemm_blocked;       /* 03: a tile of B stays in cache */
Gemm gemm_register_tile; /* 04: a tile of C stays in registers */
Gemm gemm_packed;        /* 05: operands copied into the order of their use: BLIS's five loops */
Gemm gemm_vector;        /* 06: a micro-kernel of vectors as large as the registers allow */
Gemm gemm_openmp;        /* 07: threads */
Gemm gemm_in_place;      /* 08: packed only where that pays */
Gemm gemm_masked;        /* 09: edge tiles of exactly the rows and columns that are left */
Gemm gemm_prefetch;      /* 10: C, the next rows of A and the next panel of B are prefetched */
Gemm gemm_tall_skinny;   /* 11: one row, or few columns, without tiles */
Gemm gemm_expert;        /* 12: chooses among all these by the shape */
/* clang-format on */

/* Rung 12 with an epilogue: C = epilogue(alpha op(A) op(B) + beta C). bias [N], residual laid out as C; NULL: none. */
void gemm_expert_epilogue(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
                          const float *B, int ldb, float beta, float *C, int ldc, const Epilogue *epilogue);

#endif
