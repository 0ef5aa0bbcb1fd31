/* transpose, rung 5: several rows.
 * Idea      32 x 8 threads for a tile of 32 x 32: each copies four elements, 8 rows apart.
 * Before    one load a thread, and a barrier for 1024: all wait for the slowest warp, and only two such blocks fit on
 *           a multiprocessor.
 * Now       all four loads are issued before the first use of one, so that four loads of a warp are in flight; the barrier is for
 *           256, eight blocks fit, and what a thread computes of its place is used four times.
 * Wants     nothing (any shape).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/transpose/transpose.h"
#include <cuda_runtime.h>

enum { SIDE = 32, ROWS = 8 };

static __global__ void
transpose_several_rows(int rows, int columns, const float *x, int ldx, float *y)
{
    __shared__ float tile[SIDE][SIDE + 1];
    const int across = (columns - 1) / SIDE + 1;
    const int row = blockIdx.x / across * SIDE, column = blockIdx.x % across * SIDE;
    const int i = threadIdx.y, j = threadIdx.x;
    float v[SIDE / ROWS];
#pragma unroll
    for (int k = 0; k < SIDE / ROWS; k++) {
        const int r = row + i + k * ROWS;
        v[k] = r < rows && column + j < columns ? x[(size_t)r * ldx + column + j] : 0;
    }
#pragma unroll
    for (int k = 0; k < SIDE / ROWS; k++)
        tile[i + k * ROWS][j] = v[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < SIDE / ROWS; k++) {
        const int c = column + i + k * ROWS;
        if (c < columns && row + j < rows)
            y[(size_t)c * rows + row + j] = tile[j][i + k * ROWS];
    }
}

void
launch_transpose_several_rows(int rows, int columns, const float *x, int ldx, float *y)
{
    if (rows == 0 || columns == 0)
        return;
    const unsigned down = (rows - 1) / SIDE + 1, across = (columns - 1) / SIDE + 1;
    transpose_several_rows<<<down * across, dim3(SIDE, ROWS)>>>(rows, columns, x, ldx, y);
}
