/* conv, rung 3: implicit gemm.
 * Idea      the same product, and no matrix of patches: a block gathers a tile of it from x straight into shared memory.
 * Before    patches were written to memory and read again.
 * Now       x is read, once for each 64 output channels, and nothing but y is written.
 *
 *            16 elements                       A block of 256 threads has 64 pixels x 64 output channels of one group,
 *          +-----+       +------------+        a thread 4 x 4 of them.
 *          |     |       |            | 16     Gathering, 16 neighbours fetch 16 elements of one patch, neighbours in
 *       64 |     |       +------------+        memory where the channels are many. A thread's column of the tile is always
 *   pixels |     |       64 channels           the same, so it works out its element once a tile, and its 4 pixels once in
 *          +-----+                             all: these divisions are the price of not writing patches.
 *
 * Costs     8 loads from shared memory for 16 multiplications: gemm's rung 5 has 16 for 64.
 * Wants     nothing (any shape).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/conv/conv.h"
#include "gpu/conv/patches.cuh"
#include <cuda_runtime.h>

enum { TILE = 64, DEPTH = 16, SIDE = 4, APART = TILE / SIDE, THREADS = APART * APART, ROWS = THREADS / DEPTH };

static __global__
__launch_bounds__(THREADS) void conv_implicit(ConvShape s, int pixels, int patch, const float *x, const float *w,
                                              Epilogue epilogue, float *y)
{
    __shared__ float a[TILE][DEPTH], b[DEPTH][TILE];
    const int columns = s.out_channels / s.groups, across = (columns - 1) / TILE + 1;
    const int n0 = blockIdx.x % across * TILE, group = blockIdx.x / across % s.groups;
    const int m0 = blockIdx.x / across / s.groups * TILE;
    const int t = threadIdx.x, row = t / DEPTH, column = t % DEPTH;
    Corner corner[TILE / ROWS];
#pragma unroll
    for (int i = 0; i < TILE / ROWS; i++)
        corner[i] = corner_of(s, min(m0 + row + i * ROWS, pixels - 1));

    const int tx = t % APART, ty = t / APART;
    float sum[SIDE][SIDE] = {{0}};
    for (int k0 = 0; k0 < patch; k0 += DEPTH) {
        const Tap tap = tap_of(s, k0 + column);
#pragma unroll
        for (int i = 0; i < TILE / ROWS; i++)
            a[row + i * ROWS][column] = k0 + column < patch ? patch_element(s, x, corner[i], tap, group) : 0;
#pragma unroll
        for (int i = 0; i < DEPTH * TILE / THREADS; i++) {
            const int at = t + i * THREADS, k = k0 + at / TILE, n = n0 + at % TILE;
            b[at / TILE][at % TILE] =
                k < patch && n < columns ? w[(size_t)k * s.out_channels + group * columns + n] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float left[SIDE], right[SIDE];
#pragma unroll
            for (int i = 0; i < SIDE; i++) {
                left[i] = a[ty + i * APART][k];
                right[i] = b[k][tx + i * APART];
            }
#pragma unroll
            for (int i = 0; i < SIDE; i++)
#pragma unroll
                for (int j = 0; j < SIDE; j++)
                    sum[i][j] += left[i] * right[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < SIDE; i++)
#pragma unroll
        for (int j = 0; j < SIDE; j++) {
            const int m = m0 + ty + i * APART, n = n0 + tx + j * APART;
            const int o = group * columns + n;
            const size_t at = (size_t)m * s.out_channels + o;
            if (m < pixels && n < columns)
                y[at] = finish(epilogue, sum[i][j], at, o);
        }
}

void
launch_conv_implicit(const ConvShape *shape, const float *x, const float *w, float *workspace, const Epilogue *epilogue,
                     float *y)
{
    (void)workspace;
    const size_t pixels = gpu_conv_pixels(shape);
    if (pixels == 0 || shape->out_channels == 0)
        return;
    const size_t across = (shape->out_channels / shape->groups - 1) / TILE + 1;
    const size_t blocks = ((pixels - 1) / TILE + 1) * across * shape->groups;
    conv_implicit<<<(unsigned)blocks, THREADS>>>(*shape, (int)pixels, gpu_conv_patch(shape), x, w,
                                                 epilogue_or_none(epilogue), y);
}
