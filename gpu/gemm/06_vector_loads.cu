/* gemm, rung 6: vectorised loads.
 * Idea      four floats with one instruction, from memory and from shared memory. A's tile is stored transposed in shared memory:
 *           four rows of a column of A are then contiguous.
 * Before    for each k, 16 loads of a float for 64 multiplications, and a load of 4 bytes for each element of a tile.
 * Now       4 loads of 16 bytes, and a quarter of the loads from memory.
 *
 *           A's tile in memory      a[k][m], in shared memory     a thread's rows      y .. y + 3, 64 + y .. 64 + y + 3
 *           m0     k k k k ..       k   m0 m1 m2 m3 ..            and columns          x .. x + 3, 64 + x .. 64 + x + 3
 *           m1     k k k k ..       k+1 m0 m1 m2 m3 ..            (x, y: multiples of 4)
 *
 *           A warp writes 16 rows m of the columns k and k + 4 at once. With rows of 128 floats both are in the same banks, a
 *           bank conflict; padded by 4 floats, column k + 4 begins 16 banks further.
 *
 * Wants     nothing (any M, N, K); rows that do not begin at a multiple of 16 bytes are accessed float by float (vectors.cuh).
 * Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/gemm/gemm.h"
#include "gpu/gemm/vectors.cuh"

enum {
    TILE = 128,
    HALF = TILE / 2,
    DEPTH = 8,
    STEP = TILE + 4,
    SIDE = 8,
    APART = TILE / SIDE,
    THREADS = APART * APART
};

static __global__
__launch_bounds__(THREADS) void gemm_vector_loads(int M, int N, int K, float alpha, const float *A, int lda,
                                                  const float *B, int ldb, float beta, float *C, int ldc)
{
    __shared__ __align__(16) float a[DEPTH][STEP], b[DEPTH][TILE];
    const bool a_aligned = rows_are_aligned(A, lda), b_aligned = rows_are_aligned(B, ldb);
    const int t = threadIdx.x, m0 = blockIdx.y * TILE, n0 = blockIdx.x * TILE;
    const int a_m = t / (DEPTH / 4), a_k = t % (DEPTH / 4) * 4, b_k = t / (TILE / 4), b_n = t % (TILE / 4) * 4;
    const int x = t % APART * 4, y = t / APART * 4;
    float sum[SIDE][SIDE] = {{0}};
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        const float4 four = load4(&A[(size_t)(m0 + a_m) * lda], k0 + a_k, m0 + a_m < M ? K : 0, a_aligned);
        a[a_k][a_m] = four.x;
        a[a_k + 1][a_m] = four.y;
        a[a_k + 2][a_m] = four.z;
        a[a_k + 3][a_m] = four.w;
        *(float4 *)&b[b_k][b_n] = load4(&B[(size_t)(k0 + b_k) * ldb], n0 + b_n, k0 + b_k < K ? N : 0, b_aligned);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float column[SIDE], row[SIDE];
            read4(&column[0], &a[k][y]);
            read4(&column[4], &a[k][HALF + y]);
            read4(&row[0], &b[k][x]);
            read4(&row[4], &b[k][HALF + x]);
#pragma unroll
            for (int i = 0; i < SIDE; i++)
#pragma unroll
                for (int j = 0; j < SIDE; j++)
                    sum[i][j] += column[i] * row[j];
        }
        __syncthreads();
    }
    const bool c_aligned = rows_are_aligned(C, ldc);
#pragma unroll
    for (int i = 0; i < SIDE; i++) {
        const int m = m0 + i / 4 * HALF + y + i % 4, end = m < M ? N : 0;
        store4(&C[(size_t)m * ldc], n0 + x, end, c_aligned, alpha, &sum[i][0], beta);
        store4(&C[(size_t)m * ldc], n0 + HALF + x, end, c_aligned, alpha, &sum[i][4], beta);
    }
}

void
launch_gemm_vector_loads(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta,
                         float *C, int ldc)
{
    if (M == 0 || N == 0)
        return;
    const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    gemm_vector_loads<<<grid, THREADS>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}
