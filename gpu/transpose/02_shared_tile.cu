/* transpose, rung 2: shared tile.
 * Idea      a block loads a tile of 32 x 32 into shared memory by rows, synchronises, and reads it by columns: accesses to global
 *           memory are coalesced in both directions.
 * Before    32 sectors for each store.
 * Now       4 for each load and for each store.
 *
 *              x          tile            tile            y
 *           t0 t1 t2     t0 t1 t2       t0 .  .       t0 t1 t2
 *                    ->  .  .  .        t1 .  .   ->
 *                        .  .  .        t2 .  .
 *                        written        read: the same bank, another row for every lane
 *
 * Costs     word i of shared memory is in bank i % 32, and a bank delivers one word at a time. The 32 words of a column are 32
 *           words apart, all in one bank: a 32-way bank conflict.
 * Wants     nothing (any shape).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/transpose/transpose.h"
#include <cuda_runtime.h>

enum { SIDE = 32 };

static __global__ void
transpose_shared_tile(int rows, int columns, const float *x, int ldx, float *y)
{
    __shared__ float tile[SIDE][SIDE];
    const int across = (columns - 1) / SIDE + 1;
    const int row = blockIdx.x / across * SIDE, column = blockIdx.x % across * SIDE; /* the tile's corner */
    const int i = threadIdx.y, j = threadIdx.x;
    if (row + i < rows && column + j < columns)
        tile[i][j] = x[(size_t)(row + i) * ldx + column + j];
    __syncthreads();
    if (column + i < columns && row + j < rows)
        y[(size_t)(column + i) * rows + row + j] = tile[j][i];
}

void
launch_transpose_shared_tile(int rows, int columns, const float *x, int ldx, float *y)
{
    if (rows == 0 || columns == 0)
        return;
    const unsigned down = (rows - 1) / SIDE + 1, across = (columns - 1) / SIDE + 1;
    transpose_shared_tile<<<down * across, dim3(SIDE, SIDE)>>>(rows, columns, x, ldx, y);
}
