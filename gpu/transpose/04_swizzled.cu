/* transpose, rung 4: swizzled.
 * Idea      element (i, j) of the tile is stored in word j ^ i of row i (^: exclusive or). In a row the 32 words are permuted;
 *           in a column each i gives another word, so another bank.
 * Before    32 words of padding, and rows that do not begin at a multiple of 16 bytes.
 * Now       neither: as fast as rung 3. Copies of 16 bytes and tensor cores, which want aligned rows, use this.
 *
 *           word of element (i, j)       j =   0  1  2  3
 *                                   i = 0      0  1  2  3
 *                                   i = 1      1  0  3  2        every row and every column holds each number once
 *                                   i = 2      2  3  0  1
 *                                   i = 3      3  2  1  0
 *
 * Wants     nothing (any shape).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/transpose/transpose.h"
#include <cuda_runtime.h>

enum { SIDE = 32 };

static __global__ void
transpose_swizzled(int rows, int columns, const float *x, int ldx, float *y)
{
    __shared__ float tile[SIDE][SIDE];
    const int across = (columns - 1) / SIDE + 1;
    const int row = blockIdx.x / across * SIDE, column = blockIdx.x % across * SIDE;
    const int i = threadIdx.y, j = threadIdx.x;
    if (row + i < rows && column + j < columns)
        tile[i][j ^ i] = x[(size_t)(row + i) * ldx + column + j];
    __syncthreads();
    if (column + i < columns && row + j < rows)
        y[(size_t)(column + i) * rows + row + j] = tile[j][i ^ j];
}

void
launch_transpose_swizzled(int rows, int columns, const float *x, int ldx, float *y)
{
    if (rows == 0 || columns == 0)
        return;
    const unsigned down = (rows - 1) / SIDE + 1, across = (columns - 1) / SIDE + 1;
    transpose_swizzled<<<down * across, dim3(SIDE, SIDE)>>>(rows, columns, x, ldx, y);
}
