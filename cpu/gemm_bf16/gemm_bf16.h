/* The matrix product of bf16 numbers, summed in float, row-major: C[M][N] = alpha op(A) op(B) + beta C.
 *
 *     op(A) is [M][K]: A as stored if !transpose_a, else A is stored as [K][M];   lda: elements from one stored row to the next
 *     op(B) is [K][N]: B as stored if !transpose_b, else B is stored as [N][K];   ldb likewise
 *     C is [M][N], of floats, ldc >= N; what lies between its rows is not touched
 *
 * M, N, K >= 0. K = 0 leaves C = beta C. beta = 0 overwrites C, also where it held NaN. C must not overlap A or B. NaN and
 * infinities in A or B reach C. Every rung takes every shape, and gives the same bits whatever the number of threads.
 *
 * The product of two bf16 numbers has 16 bits of fraction, so in a float it is exact: all rounding is that of the sum, to the
 * nearest, as in gemm of floats (cpu/gemm/gemm.h). What was lost was lost when A and B were rounded to bf16, 2^-8 of each
 * element at most. Rungs differ in the order of the sum, and in numbers below 2^-126, which hardly matter to anyone: vdpbf16ps
 * takes them for zero in A and B, and makes zero of every sum that is one. An element is off by 2^-126 for each of its sums,
 * and by 2^-126 times the other factor for such an element of A or B.
 * Lecture: lectures/04-gemm-cpu.md. SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_BF16_H
#define CPU_GEMM_BF16_H

#include "core/bf16.h"
#include <stdbool.h>

typedef void GemmBf16(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const Bf16 *A, int lda,
                      const Bf16 *B, int ldb, float beta, float *C, int ldc);

/* clang-format off */
GemmBf16 gemm_bf16_naive;   /* 01: three loops, each element widened when it is used */
GemmBf16 gemm_bf16_widened; /* 02: widened once, while packing: the rest is gemm of floats */
GemmBf16 gemm_bf16_pairs;   /* 03: a multiply-add takes two k at once */
GemmBf16 gemm_bf16_expert;  /* 04: threads, exact edges, packing on vectors */
/* clang-format on */

#endif
