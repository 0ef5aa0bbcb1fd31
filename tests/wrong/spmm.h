/* Deliberately broken versions of spmm, each wrong in a way that is easily written. The ladder of spmm must reject every one:
 * tests/cpu/test_spmm_ladder.c. They are included, not linked: nobody else may use them.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_WRONG_SPMM_H
#define TESTS_WRONG_SPMM_H

#include "cpu/spmm/spmm.h"

/* Rows without entries are passed over: what was in C stays. */
static void
wrong_empty_rows(const Csr *A, int N, float alpha, const float *B, int ldb, float beta, float *C, int ldc)
{
    for (int i = 0; i < A->rows; i++)
        if (A->offset[i] < A->offset[i + 1]) {
            const Csr row = csr_rows(A, i, i + 1);
            spmm_naive(&row, N, alpha, B, ldb, beta, C + (size_t)i * (size_t)ldc, ldc);
        }
}

/* The last entry of each row is left out. */
static void
wrong_last_entry(const Csr *A, int N, float alpha, const float *B, int ldb, float beta, float *C, int ldc)
{
    spmm_naive(A, N, alpha, B, ldb, beta, C, ldc);
    for (int i = 0; i < A->rows; i++)
        for (int n = 0; n < N && A->offset[i] < A->offset[i + 1]; n++) {
            const size_t last = A->offset[i + 1] - 1;
            C[(size_t)i * (size_t)ldc + (size_t)n] -=
                alpha * A->value[last] * B[(size_t)A->column[last] * (size_t)ldb + (size_t)n];
        }
}

/* The edge columns, fewer than a vector, are not written. */
static void
wrong_edge_columns(const Csr *A, int N, float alpha, const float *B, int ldb, float beta, float *C, int ldc)
{
    spmm_naive(A, N - N % 16, alpha, B, ldb, beta, C, ldc);
}

/* Whole vectors are written, over the end of the row. */
static void
wrong_over_the_end(const Csr *A, int N, float alpha, const float *B, int ldb, float beta, float *C, int ldc)
{
    spmm_naive(A, N, alpha, B, ldb, beta, C, ldc);
    for (int n = N; n % 16 != 0; n++)
        C[(size_t)(A->rows - 1) * (size_t)ldc + (size_t)n] = 0.0f;
}

/* The row of B is the entry's number in its row, not its column. */
static void
wrong_rows_of_b(const Csr *A, int N, float alpha, const float *B, int ldb, float beta, float *C, int ldc)
{
    for (int i = 0; i < A->rows; i++)
        for (int n = 0; n < N; n++) {
            float sum = 0.0f, *c = C + (size_t)i * (size_t)ldc + (size_t)n;
            for (size_t p = A->offset[i]; p < A->offset[i + 1]; p++)
                sum += A->value[p] * B[(p - A->offset[i]) * (size_t)ldb + (size_t)n];
            *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
        }
}

/* A block of B after the other overwrites C: only the last one counts. */
static void
wrong_last_block(const Csr *A, int N, float alpha, const float *B, int ldb, float beta, float *C, int ldc)
{
    for (int i = 0; i < A->rows; i++) {
        Csr row = csr_rows(A, i, i + 1);
        size_t half[2] = {(row.offset[0] + row.offset[1] + 1) / 2, row.offset[1]};
        row.offset = half;
        spmm_naive(&row, N, alpha, B, ldb, beta, C + (size_t)i * (size_t)ldc, ldc);
    }
}

static const struct {
    const char *name;
    Spmm *function;
} wrongs[] = {{"empty rows", wrong_empty_rows},     {"last entry", wrong_last_entry},
              {"edge columns", wrong_edge_columns}, {"over the end", wrong_over_the_end},
              {"rows of B", wrong_rows_of_b},       {"last block", wrong_last_block}};
enum { WRONG_COUNT = sizeof(wrongs) / sizeof(wrongs[0]) };

#endif
