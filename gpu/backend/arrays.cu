/* Arrays and matrices whose elements do not meet, but for sums down columns: see kernels.h.
 * SPDX-License-Identifier: MIT */
#include "gpu/backend/elements.cuh"
#include "gpu/backend/kernels.h"
#include "gpu/backend/sums.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <float.h>

static __global__ void
clear(size_t n, float *x)
{
    const size_t i = element_number();
    if (i < n)
        x[i] = 0;
}

void
launch_clear(size_t n, float *x)
{
    if (n > 0)
        clear<<<element_blocks(n), ELEMENT_THREADS>>>(n, x);
}

static __global__ void
narrow(NumberType type, size_t n, const float *x, void *y)
{
    const size_t i = element_number();
    if (i >= n)
        return;
    if (type == NUMBER_FP32)
        ((float *)y)[i] = x[i];
    else if (type == NUMBER_BF16)
        ((__nv_bfloat16 *)y)[i] = __float2bfloat16(x[i]);
    else
        ((__half *)y)[i] = __float2half(x[i]);
}

void
launch_narrow(NumberType type, size_t n, const float *x, void *y)
{
    if (n > 0)
        narrow<<<element_blocks(n), ELEMENT_THREADS>>>(type, n, x, y);
}

static __global__ void
widen(NumberType type, size_t n, const void *x, float *y)
{
    const size_t i = element_number();
    if (i >= n)
        return;
    if (type == NUMBER_FP32)
        y[i] = ((const float *)x)[i];
    else if (type == NUMBER_BF16)
        y[i] = __bfloat162float(((const __nv_bfloat16 *)x)[i]);
    else
        y[i] = __half2float(((const __half *)x)[i]);
}

void
launch_widen(NumberType type, size_t n, const void *x, float *y)
{
    if (n > 0)
        widen<<<element_blocks(n), ELEMENT_THREADS>>>(type, n, x, y);
}

static __global__ void
add(size_t n, const float *x, float *y)
{
    const size_t i = element_number();
    if (i < n)
        y[i] += x[i];
}

void
launch_add(size_t n, const float *x, float *y)
{
    if (n > 0)
        add<<<element_blocks(n), ELEMENT_THREADS>>>(n, x, y);
}

static __global__ void
copy_rows(size_t n, size_t columns, const float *x, size_t ldx, float *y, size_t ldy)
{
    const size_t i = element_number(), row = i / columns, column = i % columns;
    if (i < n)
        y[row * ldy + column] = x[row * ldx + column];
}

void
launch_copy_rows(size_t rows, size_t columns, const float *x, size_t ldx, float *y, size_t ldy)
{
    const size_t n = rows * columns;
    if (n > 0)
        copy_rows<<<element_blocks(n), ELEMENT_THREADS>>>(n, columns, x, ldx, y, ldy);
}

/* A copy whose source has one row only: each row of y is the bias. */
void
launch_bias_fill(int rows, int columns, const float *bias, float *y)
{
    launch_copy_rows((size_t)rows, (size_t)columns, bias, 0, y, (size_t)columns);
}

static __global__ void
find_not_finite(size_t n, const float *x, int *found)
{
    const size_t i = element_number();
    if (i < n && !(fabsf(x[i]) <= FLT_MAX))
        atomicOr(found, 1);
}

void
launch_find_not_finite(size_t n, const float *x, int *found)
{
    if (n > 0)
        find_not_finite<<<element_blocks(n), ELEMENT_THREADS>>>(n, x, found);
}

/* Through a tile in shared memory: rows are read along x and written along y, a warp always touches neighbours. The tile's rows
 * are one longer than a warp, so that a column lies in 32 different banks. */
enum { TILE = 32, TILE_ROWS = 8 };

static __global__ void
transposed(int rows, int columns, const float *x, int ldx, float *y)
{
    __shared__ float tile[TILE][TILE + 1];
    const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE, lane = threadIdx.x;
    for (int r = threadIdx.y; r < TILE; r += TILE_ROWS)
        if (row0 + r < rows && column0 + lane < columns)
            tile[r][lane] = x[(size_t)(row0 + r) * ldx + column0 + lane];
    __syncthreads();
    for (int c = threadIdx.y; c < TILE; c += TILE_ROWS)
        if (column0 + c < columns && row0 + lane < rows)
            y[(size_t)(column0 + c) * rows + row0 + lane] = tile[lane][c];
}

void
launch_transposed(int rows, int columns, const float *x, int ldx, float *y)
{
    if (rows == 0 || columns == 0)
        return;
    const dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE, TILE_ROWS);
    transposed<<<grid, block>>>(rows, columns, x, ldx, y);
}

static __global__ void
bias_gradient(int rows, int columns, const float *dy, float *dbias)
{
    const int c = blockIdx.x * COLUMN_BLOCK + threadIdx.x;
    double sum = 0;
    for (int r = threadIdx.y; c < columns && r < rows; r += COLUMN_THREADS)
        sum += dy[(size_t)r * columns + c];
    sum = column_sum(sum);
    if (threadIdx.y == 0 && c < columns)
        dbias[c] += (float)sum;
}

void
launch_bias_gradient(int rows, int columns, const float *dy, float *dbias)
{
    const dim3 block(COLUMN_BLOCK, COLUMN_THREADS);
    if (columns > 0)
        bias_gradient<<<column_blocks(columns), block>>>(rows, columns, dy, dbias);
}
