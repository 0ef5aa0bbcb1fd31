/* spmm, rung 3: vector.
 * Idea      a strip of a row of C, 8 vectors, stays in registers until all entries of the row of A have passed: cpu/spmm/strip.h.
 * Before    reordered loads and stores a vector of C for each multiply-add.
 * Now       a multiply-add loads one vector, of B, and nothing else; C is touched once. The last strip of a row has as many
 *           vectors as it needs, the last of them perhaps with idle lanes.
 * Still     nothing of B is used again soon: each row of A picks other rows of B, and asks for 4 bytes with each multiply-add
 *           from wherever all of B is.
 * Model     those bytes at the rate of the level of memory that holds B.
 * Wants     nothing.
 * Lecture   lectures/04-gemm-cpu.md
 * SPDX-License-Identifier: MIT */
#include "cpu/spmm/spmm.h"
#include "cpu/spmm/strip.h"

void
spmm_vector(const Csr *A, int N, float alpha, const float *B, int ldb, float beta, float *C, int ldc)
{
    for (int i = 0; i < A->rows; i++)
        for (int n = 0, columns; n < N; n += columns) {
            const Strip strip = {A, B + n, (size_t)ldb, 0, alpha, beta};
            columns = N - n < STRIP ? N - n : STRIP;
            strip_multiply(&strip, A->offset[i], A->offset[i + 1], columns, C + (size_t)i * (size_t)ldc + (size_t)n);
        }
}
