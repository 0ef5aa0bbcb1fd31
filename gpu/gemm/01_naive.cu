/* gemm, rung 1: naive.
 * Idea      a thread for each element of C: a row of A times a column of B. threadIdx.x counts rows.
 * Costs     the 32 threads of a warp are in 32 different rows: a load of A[m][k] and the store of C[m][n] touch 32 lines of
 *           memory, 32 sectors of 32 bytes for 4 bytes used of each. All read the same B[k][n], one sector.
 *
 *               n ->                    k ->
 *           C   t0 . . .            A   t0 . . .        every row another line of memory
 *               t1 . . .                t1 . . .
 *               t2 . . .                t2 . . .
 *
 * Wants     nothing (any M, N, K).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/gemm/gemm.h"
#include <cuda_runtime.h>

enum { SIDE = 32 };

static __global__ void
gemm_naive(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta, float *C,
           int ldc)
{
    const int m = blockIdx.x * SIDE + threadIdx.x;
    const int n = blockIdx.y * SIDE + threadIdx.y;
    if (m >= M || n >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum += A[(size_t)m * lda + k] * B[(size_t)k * ldb + n];
    float *c = &C[(size_t)m * ldc + n];
    *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

void
launch_gemm_naive(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta,
                  float *C, int ldc)
{
    if (M == 0 || N == 0)
        return;
    const dim3 grid((M + SIDE - 1) / SIDE, (N + SIDE - 1) / SIDE), block(SIDE, SIDE);
    gemm_naive<<<grid, block>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}
