/* transpose, rung 1: naive.
 * Idea      a thread for each element, in blocks of 32 x 32; threadIdx.x along a row of x.
 * Costs     a warp reads 32 neighbours: 128 bytes, 4 sectors of 32 bytes, all used. It writes them into 32 different rows of y:
 *           32 sectors, 4 bytes used of each.
 *
 *           x   t0 t1 t2 ..          y   t0 . . .        to swap the roles of threadIdx.x and .y only moves the harm to the loads
 *                                        t1 . . .
 *                                        t2 . . .
 *
 * Grid      the tiles of 32 x 32 in one row, not in two dimensions: in y and z a grid has at most 65535 blocks.
 * Wants     nothing (any shape).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/transpose/transpose.h"
#include <cuda_runtime.h>

enum { SIDE = 32 };

static __global__ void
transpose_naive(int rows, int columns, const float *x, int ldx, float *y)
{
    const int across = (columns - 1) / SIDE + 1; /* tiles in a row of x */
    const int row = blockIdx.x / across * SIDE + threadIdx.y;
    const int column = blockIdx.x % across * SIDE + threadIdx.x;
    if (row < rows && column < columns)
        y[(size_t)column * rows + row] = x[(size_t)row * ldx + column];
}

void
launch_transpose_naive(int rows, int columns, const float *x, int ldx, float *y)
{
    if (rows == 0 || columns == 0)
        return;
    const unsigned down = (rows - 1) / SIDE + 1, across = (columns - 1) / SIDE + 1;
    transpose_naive<<<down * across, dim3(SIDE, SIDE)>>>(rows, columns, x, ldx, y);
}
