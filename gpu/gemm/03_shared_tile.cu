/* gemm, rung 3: shared tile.
 * Idea      the 32 x 32 threads of a block work on the same rows of A and columns of B. They load a tile of each into shared
 *           memory, one element a thread, synchronise, and use every element 32 times.
 * Before    8 K bytes from memory for each thread.
 * Now       8 K / 32: each element of a tile is read from memory once for the block.
 *
 *                        N                     k0 .. k0 + 31
 *                    +--------+               the tiles move along K:  A's to the right, B's down
 *                  K |   #    |
 *                    |   #    |  B            for each step:  load both | barrier | 32 multiplications | barrier
 *            K       +---#----+
 *        +-------+   +---#----+               the first barrier: the tile is complete before it is read;
 *      M |#######|   |   C    |               the second: it is read before it is overwritten.
 *        +-------+   +--------+
 *            A
 *
 * Costs     two loads from shared memory for each multiplication. Elements outside of the matrices count as 0, so that all threads
 *           reach every barrier.
 * Wants     nothing (any M, N, K).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/gemm/gemm.h"
#include <cuda_runtime.h>

enum { SIDE = 32 };

/* EXERCISE 05.2  Tile (25 min, about 12 lines)
 * The threads of a block, SIDE x SIDE of them, work on SIDE rows of A and SIDE columns of B together. For k0 = 0, SIDE, 2 SIDE
 * .. < K: each thread loads one element of A's tile (rows of this block, columns k0 ..) and one of B's (rows k0 .., columns of
 * this block) into shared memory, all wait, and each thread adds SIDE products of elements in shared memory to its sum.
 * Threads that are neighbours in x load neighbours in memory. An element that is not in the matrix counts as 0; nothing outside is
 * read. Every thread must reach every barrier, also one outside of C; at the end only those inside write.
 */
static __global__ void
gemm_shared_tile(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta,
                 float *C, int ldc)
{
    __shared__ float a[SIDE][SIDE], b[SIDE][SIDE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int n = blockIdx.x * SIDE + x;
    const int m = blockIdx.y * SIDE + y;
    /* BEGIN SOLUTION 05.2 */
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += SIDE) {
        a[y][x] = m < M && k0 + x < K ? A[(size_t)m * lda + k0 + x] : 0;
        b[y][x] = k0 + y < K && n < N ? B[(size_t)(k0 + y) * ldb + n] : 0;
        __syncthreads();
        for (int k = 0; k < SIDE; k++)
            sum += a[y][k] * b[k][x];
        __syncthreads();
    }
    if (m >= M || n >= N)
        return;
    float *c = &C[(size_t)m * ldc + n];
    *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
    /* END SOLUTION */
}

void
launch_gemm_shared_tile(int M, int N, int K, float alpha, const float *A, int lda, const float *B, int ldb, float beta,
                        float *C, int ldc)
{
    if (M == 0 || N == 0)
        return;
    const dim3 grid((N + SIDE - 1) / SIDE, (M + SIDE - 1) / SIDE), block(SIDE, SIDE);
    gemm_shared_tile<<<grid, block>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}
