/* spmm, rung 1: a thread a row.
 * Idea      a thread for each row of A computes that row of C, one element after the other: a CPU's loops, the outer one parallel.
 * Costs     the 32 threads of a warp are in 32 different rows. Accesses to entries, to B and to C are not coalesced: 32
 *           sectors for 32 words. A warp is busy until its longest row is done (divergence). And M threads alone are few: a GPU
 *           holds 100,000 or more.
 *
 *           row       A                                    C    n ->
 *           t0        5 . 2 . . . 1                             t0 . . .
 *           t1        . . . . . . .      waits                  t1 . . .
 *           t2        1 7 . 4 9 3 8      all wait for it        t2 . . .
 *
 * Wants     nothing.   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/spmm/spmm.h"
#include <cuda_runtime.h>

enum { THREADS = 128 };

static __global__ void
spmm_thread_a_row(int M, int N, const size_t *offset, const int *column, const float *value, float alpha,
                  const float *B, int ldb, float beta, float *C, int ldc)
{
    const int m = blockIdx.x * THREADS + threadIdx.x;
    if (m >= M)
        return;
    const size_t begin = offset[m], end = offset[m + 1];
    for (int n = 0; n < N; n++) {
        float sum = 0;
        for (size_t p = begin; p < end; p++)
            sum += value[p] * B[(size_t)column[p] * ldb + n];
        float *c = &C[(size_t)m * ldc + n];
        *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
    }
}

void
launch_spmm_thread_a_row(int M, int N, size_t nonzeros, const size_t *offset, const int *column, const float *value,
                         float alpha, const float *B, int ldb, float beta, float *C, int ldc)
{
    (void)nonzeros;
    if (M > 0 && N > 0)
        spmm_thread_a_row<<<(M - 1) / THREADS + 1, THREADS>>>(M, N, offset, column, value, alpha, B, ldb, beta, C, ldc);
}
