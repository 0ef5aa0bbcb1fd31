/* spmm, rung 2: reordered.
 * Idea      swap the two inner loops: each entry of A adds a multiple of a row of B to a row of C.
 * Before    naive walks down columns of B, a cache line for each float, and each sum waits for itself.
 * Now       the inner loop goes along a row of B and a row of C. Its iterations are independent, so the compiler makes vectors of
 *           it; a column number and a value of A are read once for N multiplications instead of once for each.
 * But       each multiply-add of a vector loads C and stores it again.
 * Model     three vectors through L1 for each multiply-add, or B's from where B is, whichever takes longer.
 * Wants     nothing.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "cpu/spmm/spmm.h"

static void
scale_row(float *restrict c, int N, float beta)
{
    for (int n = 0; n < N; n++)
        c[n] = beta == 0.0f ? 0.0f : beta * c[n];
}

static void
add_row(float *restrict c, int N, float a, const float *restrict b)
{
    for (int n = 0; n < N; n++)
        c[n] += a * b[n];
}

void
spmm_reordered(const Csr *A, int N, float alpha, const float *B, int ldb, float beta, float *C, int ldc)
{
    for (int i = 0; i < A->rows; i++) {
        float *c = C + (size_t)i * (size_t)ldc;
        scale_row(c, N, beta);
        for (size_t p = A->offset[i]; p < A->offset[i + 1]; p++)
            add_row(c, N, alpha * A->value[p], B + (size_t)A->column[p] * (size_t)ldb);
    }
}
