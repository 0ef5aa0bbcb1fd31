/* The matrix product of whole numbers of 8 bits with zero points, row-major and exact:
 *
 *     C[M][N] = sum over k of (op(A)[m][k] - zero_a) (op(B)[k][n] - zero_b)
 *
 *     op(A) is [M][K], of 0 .. 255: A as stored if !transpose_a, else A is stored as [K][M];   lda: from one stored row to
 *     the next op(B) is [K][N], of -128 .. 127: B as stored if !transpose_b, else as [N][K];            ldb likewise
 *     C is [M][N], of 32 bits, ldc >= N; what lies between its rows is not touched. What C held does not matter.
 *
 * Quantised networks multiply so: an activation x is stored as a = zero_a + x / scale_a in 0 .. 255, a weight w as b = zero_b +
 * w / scale_b in -128 .. 127, and sum x w = scale_a scale_b C.
 *
 * M, N, K >= 0; K = 0 gives zeros. 0 <= zero_a <= 255, -128 <= zero_b <= 127, and K <= gemm_int8_longest(zero_a, zero_b): up to
 * there no sum can leave 32 bits, whatever A and B hold. It ends the program otherwise. C must not overlap A or B. Every rung
 * gives the same numbers: whole ones do not round.
 *
 * Rungs 3 and 4 multiply the numbers as they are stored, and correct the sum afterwards:
 *
 *     sum (a - zero_a)(b - zero_b)  =  sum a b  -  zero_b sum a  -  zero_a sum b  +  K zero_a zero_b
 *
 * where sum a belongs to a row of A, sum b to a column of B. The sums on the right may leave 32 bits. They are taken modulo
 * 2^32, and so is their difference, which is what stands on the left.
 * Lecture: lectures/04-gemm-cpu.md. SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_INT8_H
#define CPU_GEMM_INT8_H

#include <stdbool.h>
#include <stdint.h>

typedef void GemmInt8(bool transpose_a, bool transpose_b, int M, int N, int K, const uint8_t *A, int lda, int zero_a,
                      const int8_t *B, int ldb, int zero_b, int32_t *C, int ldc);

/* clang-format off */
GemmInt8 gemm_int8_naive;   /* 01: three loops */
GemmInt8 gemm_int8_widened; /* 02: widened to 32 bits while packing */
GemmInt8 gemm_int8_quads;   /* 03: a multiply-add takes four k at once */
GemmInt8 gemm_int8_expert;  /* 04: threads, exact edges, packing on vectors */
/* clang-format on */

/* The largest K whose sums of K products of at most |a - zero_a| |b - zero_b| stay within 2^31 - 1: 65793 for zero points of 0,
 * 33025 for the worst. */
static inline int
gemm_int8_longest(int zero_a, int zero_b)
{
    const int a = zero_a > 255 - zero_a ? zero_a : 255 - zero_a;
    const int b = zero_b + 128 > 127 - zero_b ? zero_b + 128 : 127 - zero_b;
    return INT32_MAX / (a * b);
}

#endif
