/* LAB 05, exercise 05.2. This copy of gpu/gemm/03_shared_tile.cu is yours to complete: it takes that file's place
 * when the lab is graded. Replace the lines EXERCISE_NOT_SOLVED by your code. In the root of the project:
 *
 *     make grade LAB=05       points for each exercise, and the first wrong value
 *     make hint LAB=05.2      the next hint for an exercise
 *     make watch LAB=05       grade again whenever this file is saved
 *     make reset LAB=05       begin again; your version is kept in .rungs/backup
 *
 * Teachers: `make labs` cuts this file from gpu/gemm/03_shared_tile.cu; change it there. */
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
#include "gpu/unsolved.h"
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
    EXERCISE_NOT_SOLVED("05.2"); /* TODO: about 12 lines */
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
