/* spmm, rung 1: naive.
 * Idea      the definition: an element of C is a row of A times a column of B, over the entries that the row has.
 * Costs     2 nonzeros N flops. Each multiplication needs a column number, a value, and a float of B from another cache line than
 *           the last one. The other 60 bytes of that line are used when the next elements of C ask for them, if still there.
 * Model     a step of a chain for each multiplication, or a cache line from where the lines of one row of A fit, whichever takes
 *           longer. Far too good where ldb is a power of two: columns then compete for the same places of the caches.
 * Wants     nothing.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "cpu/spmm/spmm.h"

void
spmm_naive(const Csr *A, int N, float alpha, const float *B, int ldb, float beta, float *C, int ldc)
{
    for (int i = 0; i < A->rows; i++)
        for (int n = 0; n < N; n++) {
            float sum = 0.0f, *c = C + (size_t)i * (size_t)ldc + (size_t)n;
            for (size_t p = A->offset[i]; p < A->offset[i + 1]; p++)
                sum += A->value[p] * B[(size_t)A->column[p] * (size_t)ldb + (size_t)n];
            *c = beta == 0.0f ? alpha * sum : alpha * sum + beta * *c;
        }
}
