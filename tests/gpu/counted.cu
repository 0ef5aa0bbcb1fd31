/* Kernels whose counts are known: tests/gpu/test_counters.c. SPDX-License-Identifier: MIT */
#include "tests/gpu/counted.h"
#include <cuda_runtime.h>

enum { SIDE = 32, THREADS = 256 };

/* ---- bank conflicts: a tile is written by rows and read by columns -------------------------------------------- */

template <int COLUMNS>
static __global__ void
transpose_tile(const float *x, float *y)
{
    __shared__ float tile[SIDE][COLUMNS];
    tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * SIDE + threadIdx.x];
    __syncthreads();
    y[threadIdx.y * SIDE + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

void
launch_transpose_tile(const float *x, float *y)
{
    transpose_tile<SIDE><<<1, dim3(SIDE, SIDE)>>>(x, y);
}

void
launch_transpose_padded(const float *x, float *y)
{
    transpose_tile<SIDE + 1><<<1, dim3(SIDE, SIDE)>>>(x, y);
}

/* ---- divergence: one step of a sum in a block of 256 ------------------------------------------------------------- */

static __global__ void
step_interleaved(float *x, unsigned step)
{
    const unsigned i = threadIdx.x;
    if (i % (2 * step) == 0)
        x[i] += x[i + step];
}

static __global__ void
step_sequential(float *x, unsigned step)
{
    const unsigned i = threadIdx.x;
    if (i < step)
        x[i] += x[i + step];
}

void
launch_step_interleaved(float *x, unsigned step)
{
    step_interleaved<<<1, THREADS>>>(x, step);
}

void
launch_step_sequential(float *x, unsigned step)
{
    step_sequential<<<1, THREADS>>>(x, step);
}

/* ---- four floats at once; strides --------------------------------------------------------------------------------- */

static __global__ void
copy_vectors(const float4 *x, float4 *y)
{
    __shared__ float4 tile[THREADS];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    const float4 v = tile[threadIdx.x];
    y[threadIdx.x] = make_float4(v.x + 1, v.y, v.z, v.w);
}

void
launch_copy_vectors(const float *x, float *y)
{
    copy_vectors<<<1, THREADS>>>((const float4 *)x, (float4 *)y);
}

static __global__ void
copy_strided(const float *x, float *y, int stride)
{
    y[threadIdx.x] = x[threadIdx.x * stride];
}

void
launch_copy_strided(const float *x, float *y, int stride)
{
    copy_strided<<<1, THREADS>>>(x, y, stride);
}

/* ---- atomics: `places` different addresses for the 32 lanes of a warp ------------------------------------------- */

static __global__ void
histogram(unsigned *counts, unsigned places)
{
    atomicAdd(&counts[threadIdx.x % places], 1u);
}

void
launch_histogram(unsigned *counts, unsigned places)
{
    histogram<<<1, THREADS>>>(counts, places);
}

/* ---- flops: every kind, in a loop of n rounds --------------------------------------------------------------------- */

static __global__ void
arithmetic(float *x, double *d, int n)
{
    float a = x[threadIdx.x];
    double b = d[threadIdx.x];
    for (int i = 0; i < n; i++) {
        a = a * a + 1; /* 2 */
        a = a / 3 - 7; /* 2 */
        b = b * b;     /* 1, of doubles */
    }
    x[threadIdx.x] = sqrtf(a) * 2; /* 2 */
    d[threadIdx.x] = b;
}

void
launch_arithmetic(float *x, double *d, int n)
{
    arithmetic<<<1, THREADS>>>(x, d, n);
}
