/* BLAS, level 3: sgemm, the product of two matrices.
 *
 * A column-major matrix is its transpose stored row-major. So Fortran's C = A B is, of the same
 * memory, our C^T = B^T A^T: M and N, A and B change places, and no element moves.
 * SPDX-License-Identifier: MIT */
#include "cpu/blas/internal.h"

/* The parameters of the Fortran routine, in its order. Those of the C routine count one more: the order stands first. */
enum { TRANSA = 1, TRANSB, M_ROWS, N_COLUMNS, K_TERMS, ALPHA, A_MATRIX, LDA, B_MATRIX, LDB, BETA, C_MATRIX, LDC };

static bool
too_short(int ld, int line)
{
    return ld < (line > 1 ? line : 1);
}

/* The first illegal one, or 0. ld must be at least the length of a stored row (or column). */
static int
illegal_parameter(bool row_major, int a, int b, int M, int N, int K, int lda, int ldb, int ldc)
{
    const bool a_lines_have_m = row_major == (a == 1), b_lines_have_k = row_major == (b == 1);
    return a == BLAS_UNKNOWN                        ? TRANSA
           : b == BLAS_UNKNOWN                      ? TRANSB
           : M < 0                                  ? M_ROWS
           : N < 0                                  ? N_COLUMNS
           : K < 0                                  ? K_TERMS
           : too_short(lda, a_lines_have_m ? M : K) ? LDA
           : too_short(ldb, b_lines_have_k ? K : N) ? LDB
           : too_short(ldc, row_major ? N : M)      ? LDC
                                                    : 0;
}

/* Row-major, all arguments legal. alpha = 0 must not read A or B, and without terms alpha must not matter, be it NaN: both are
 * 0 times a sum of no terms. */
static void
multiply(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda, const float *B,
         int ldb, float beta, float *C, int ldc)
{
    static const float nothing[1] = {0.0f};
    const bool empty = alpha == 0.0f || K == 0;
    if (M == 0 || N == 0 || (empty && beta == 1.0f))
        return;
    if (empty)
        blas_gemm(false, false, M, N, 0, 0.0f, nothing, 1, nothing, 1, beta, C, ldc);
    else
        blas_gemm(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}

void
sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const float *alpha,
       const float *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c, const int *ldc)
{
    const int transpose_a = blas_transpose_letter(transa), transpose_b = blas_transpose_letter(transb);
    const int illegal = illegal_parameter(false, transpose_a, transpose_b, *m, *n, *k, *lda, *ldb, *ldc);
    if (illegal)
        blas_illegal("SGEMM ", illegal);
    else
        multiply(transpose_b, transpose_a, *n, *m, *k, *alpha, b, *ldb, a, *lda, *beta, c, *ldc);
}

/* See illegal.c. */
static int
mirrored(int parameter)
{
    switch (parameter) {
    case M_ROWS:
        return N_COLUMNS;
    case N_COLUMNS:
        return M_ROWS;
    case LDA:
        return LDB;
    case LDB:
        return LDA;
    default:
        return parameter;
    }
}

void
cblas_sgemm(int order, int transa, int transb, int M, int N, int K, float alpha, const float *A, int lda,
            const float *B, int ldb, float beta, float *C, int ldc)
{
    const bool row_major = order == BLAS_ROW_MAJOR;
    const int transpose_a = blas_transpose_number(transa), transpose_b = blas_transpose_number(transb);
    const int illegal = illegal_parameter(row_major, transpose_a, transpose_b, M, N, K, lda, ldb, ldc);
    if (!row_major && order != BLAS_COLUMN_MAJOR)
        blas_illegal_c("cblas_sgemm", 1, 1);
    else if (illegal)
        blas_illegal_c("cblas_sgemm", 1 + illegal, 1 + mirrored(illegal));
    else if (row_major)
        multiply(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    else
        multiply(transpose_b, transpose_a, N, M, K, alpha, B, ldb, A, lda, beta, C, ldc);
}
