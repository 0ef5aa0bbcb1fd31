/* conv, rung 2: im2col.
 * Idea      write out the matrix of patches, a row for each output pixel; y is its product with w, which gpu/gemm computes.
 * Before    a word of x and one of w from (cached) memory for each multiplication.
 * Now       gemm's 24 loads of 16 bytes from shared memory for 512 of them. A kernel of 3 x 3 writes each pixel nine times, and
 *           reads that back.
 *
 *             image                   patches [pixels][9 channels]        w [9 channels][out_channels]
 *            +---------+
 *            | # # #   |     ---->    # # # # # # # # #             x     :          =     y [pixels][out_channels]
 *            | # # #   |              . . . . . . . . .                   :
 *            | # # #   |                                                  :
 *
 *           A kernel of 1 x 1, stride 1, one group: x is that matrix. Nothing is copied.
 *           Several groups: a copy and a product for each; w and y are read and written a range of columns at a time.
 *           Many pixels: a chunk of them at a time, whose patches stay in the L2 cache.
 * Costs     the copies; a pass for the epilogue; with few output channels, as when each group has one, most of gemm's tile is
 *           empty.
 * Wants     a workspace.   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/conv/conv.h"
#include "gpu/conv/patches.cuh"
#include "gpu/gemm/gemm.h"
#include <cuda_runtime.h>

enum { THREADS = 256 };

/* Neighbours write neighbours; they read neighbours where the channels of a group are many. */
static __global__ void
conv_patches(ConvShape s, int group, int first, int patch, size_t elements, const float *x, float *patches)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= elements)
        return;
    const Corner corner = corner_of(s, first + (int)(i / patch));
    patches[i] = patch_element(s, x, corner, tap_of(s, i % patch), group);
}

/* The product has left the sums in y. */
static __global__ void
conv_epilogue(size_t n, int channels, Epilogue epilogue, float *y)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        y[i] = finish(epilogue, y[i], i, (int)(i % channels));
}

void
launch_conv_im2col(const ConvShape *shape, const float *x, const float *w, float *workspace, const Epilogue *epilogue,
                   float *y)
{
    const ConvShape s = *shape;
    const size_t pixels = gpu_conv_pixels(shape), chunk = gpu_conv_patches_at_once(shape);
    const int patch = gpu_conv_patch(shape), columns = s.out_channels / s.groups;
    const bool copies = !gpu_conv_is_product(shape);
    for (size_t first = 0; first < pixels; first += chunk) {
        const int rows = (int)(pixels - first < chunk ? pixels - first : chunk);
        const size_t elements = (size_t)rows * patch;
        for (int group = 0; group < s.groups; group++) {
            if (copies && elements > 0)
                conv_patches<<<(unsigned)((elements - 1) / THREADS + 1), THREADS>>>(s, group, (int)first, patch,
                                                                                    elements, x, workspace);
            launch_gemm_double_buffer(rows, columns, patch, 1.0f, copies ? workspace : x + first * patch, patch,
                                      w + group * columns, s.out_channels, 0.0f,
                                      y + first * s.out_channels + group * columns, s.out_channels);
        }
    }
    const Epilogue e = epilogue_or_none(epilogue);
    const size_t n = pixels * s.out_channels;
    if (n > 0 && (e.bias != NULL || e.residual != NULL || e.relu))
        conv_epilogue<<<(unsigned)((n - 1) / THREADS + 1), THREADS>>>(n, s.out_channels, e, y);
}
