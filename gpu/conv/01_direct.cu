/* conv, rung 1: direct.
 * Idea      a thread for each output: the formula as it stands. Neighbours in x are neighbours in output channels.
 * Costs     the 32 threads of a warp see the same pixel: one word of x, one sector; and 32 neighbours of w, 4 sectors. Both are
 *           read from (cached) memory for each single multiplication. With few output channels a warp covers several pixels.
 *
 *               o ->                         k                        o ->
 *           y   t0 t1 t2 t3 ..           x   one for all          w   t0 t1 t2 t3 ..
 *
 * Wants     nothing (any shape).   Lecture   lectures/05-gemm-gpu.md
 * SPDX-License-Identifier: MIT */
#include "gpu/conv/conv.h"
#include "gpu/conv/patches.cuh"
#include <cuda_runtime.h>

enum { THREADS = 256 };

static __global__ void
conv_direct(ConvShape s, size_t outputs, const float *x, const float *w, Epilogue epilogue, float *y)
{
    const size_t output = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (output >= outputs)
        return;
    const int o = output % s.out_channels, channels = s.channels / s.groups, group = o / (s.out_channels / s.groups);
    const Corner corner = corner_of(s, output / s.out_channels);
    float sum = 0;
    for (int a = 0; a < s.window.vertical.kernel; a++)
        for (int c = 0; c < s.window.horizontal.kernel; c++) {
            const size_t place = (size_t)(a * s.window.horizontal.kernel + c) * channels;
            for (int k = 0; k < channels; k++) {
                const Tap tap = {a * s.window.vertical.dilation, c * s.window.horizontal.dilation, k};
                sum += patch_element(s, x, corner, tap, group) * w[(place + k) * s.out_channels + o];
            }
        }
    y[output] = finish(epilogue, sum, output, o);
}

void
launch_conv_direct(const ConvShape *shape, const float *x, const float *w, float *workspace, const Epilogue *epilogue,
                   float *y)
{
    (void)workspace;
    const size_t outputs = gpu_conv_pixels(shape) * shape->out_channels;
    if (outputs > 0)
        conv_direct<<<(unsigned)((outputs - 1) / THREADS + 1), THREADS>>>(*shape, outputs, x, w,
                                                                          epilogue_or_none(epilogue), y);
}
