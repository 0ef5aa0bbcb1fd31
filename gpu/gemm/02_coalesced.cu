/* gemm, rung 2: coalesced.
 * Idea      the same, with threadIdx.x along a row of C: the loads and stores of a warp are coalesced.
 * Before    32 sectors for each load of A and store of C.
 * Now       a warp reads 32 neighbours of B's row and writes 32 of C's: 128 bytes, 4 sectors, all used. All read the same A[m][k],
 *           one sector.
 *
 *               n ->
 *           C   t0 t1 t2 t3 ..      one row: one line of memory
 *
 * Costs     each element of A and B is still read from (cached) memory once for every column, or row, of C: 8 K bytes a thread.
 * Wants     nothing (any M, N, K).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/gemm/gemm.h"
#include <cuda_runtime.h>

enum { SIDE = 32 };

/* EXERCISE 05.1  Coalesce (15 min, about 9 lines)
 * The kernel is launched with blocks of SIDE x SIDE threads, enough of them for all of C. Give each thread one element (m, n)
 * of C,
 *     C[m][n] = alpha * (sum of A[m][k] B[k][n] over k) + beta * C[m][n]     (beta = 0: C is not read),
 * so that the 32 threads of a warp, which are neighbours in threadIdx.x, are neighbours in a row of C. blockIdx.x counts
 * blocks along a row of C, too: the grid has (N + SIDE - 1) / SIDE of them in x, (M + SIDE - 1) / SIDE in y. Threads
 * outside of C touch nothing. Rung 1 (gpu/gemm/01_naive.cu) is complete, with the roles of x and y exchanged.
 */
static __global__ void
gemm_coalesced(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta, float *C,
               int ldc)
{
    /* BEGIN SOLUTION 05.1 */
    const int n = blockIdx.x * SIDE + threadIdx.x;
    const int m = blockIdx.y * SIDE + threadIdx.y;
    if (m >= M || n >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)m * lda + k] * B[(size_t)k * ldb + n];
    float *c = &C[(size_t)m * ldc + n];
    *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
    /* END SOLUTION */
}

void
launch_gemm_coalesced(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta,
                      float *C, int ldc)
{
    if (M == 0 || N == 0)
        return;
    const dim3 grid((N + SIDE - 1) / SIDE, (M + SIDE - 1) / SIDE), block(SIDE, SIDE);
    gemm_coalesced<<<grid, block>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}
