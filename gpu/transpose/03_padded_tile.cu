/* transpose, rung 3: padded tile.
 * Idea      rows of 33 words, of which 32 are used: the words of a column are 33 apart, each in another bank.
 * Before    32 passes for each load from the tile.
 * Now       1.
 *
 *           bank of tile[i][j]           rows of 32:   0  1  2  3 ..        rows of 33:   0  1  2  3 ..
 *                                                      0  1  2  3 ..                      1  2  3  4 ..
 *                                                      0  1  2  3 ..                      2  3  4  5 ..
 *
 * Costs     32 words of padding.
 * Wants     nothing (any shape).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/transpose/transpose.h"
#include <cuda_runtime.h>

enum { SIDE = 32 };

static __global__ void
transpose_padded_tile(int rows, int columns, const float *x, int ldx, float *y)
{
    __shared__ float tile[SIDE][SIDE + 1];
    const int across = (columns - 1) / SIDE + 1;
    const int row = blockIdx.x / across * SIDE, column = blockIdx.x % across * SIDE;
    const int i = threadIdx.y, j = threadIdx.x;
    if (row + i < rows && column + j < columns)
        tile[i][j] = x[(size_t)(row + i) * ldx + column + j];
    __syncthreads();
    if (column + i < columns && row + j < rows)
        y[(size_t)(column + i) * rows + row + j] = tile[j][i];
}

void
launch_transpose_padded_tile(int rows, int columns, const float *x, int ldx, float *y)
{
    if (rows == 0 || columns == 0)
        return;
    const unsigned down = (rows - 1) / SIDE + 1, across = (columns - 1) / SIDE + 1;
    transpose_padded_tile<<<down * across, dim3(SIDE, SIDE)>>>(rows, columns, x, ldx, y);
}
