/* Arrays and matrices whose elements do not meet, but for sums down columns: see kernels.h.
 * SPDX-License-Identifier: MIT */
#include "gpu/backend/columns.cuh"
#include "gpu/backend/elements.cuh"
#include "gpu/backend/kernels.h"
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
