/* conv_input_gradient, rung 2: col2im.
 * Idea      forward is  patches(x) w,  so the gradient of the patches is  dy w^T,  one matrix product for an image; col2im then
 *           adds each patch to the pixels that it was copied from:
 *
 *               patches [output pixels][KH KW channels]          dx
 *               row (i, j): | a=0 c=0 | a=0 c=1 | .. |   --->    pixel (i s - p + a d, j s - p + c d) += the tap's channels
 *
 * Before    rung 1 computes one element at a time.
 * Now       the multiplications are those of gemm's best rung.
 * But       the patches are KH KW / (stride stride) times as large as dx, and go to memory and back.
 * Wants     memory for the patches of one image.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "core/workspace.h"
#include "cpu/conv/conv.h"
#include "cpu/conv/patches.h"
#include "cpu/gemm/gemm.h"
#include <string.h>

/* Adds the patch of output pixel (i, j), taps of `in` channels each, to its pixels; dx: the first channel of the group. */
static void
add_patch(const ConvShape *s, int i, int j, int in, const float *patch, float *dx)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    for (int a = 0; a < v.kernel; a++)
        for (int c = 0; c < u.kernel; c++, patch += in) {
            const int row = window_begin(v, i) + a * v.dilation, column = window_begin(u, j) + c * u.dilation;
            if (row < 0 || row >= s->height || column < 0 || column >= s->width)
                continue;
            float *pixel = dx + ((size_t)row * (size_t)s->width + (size_t)column) * (size_t)s->channels;
            for (int k = 0; k < in; k++)
                pixel[k] += patch[k];
        }
}

static void
col2im(const ConvShape *s, const float *patches, float *dx)
{
    for (int i = 0; i < conv_out_height(s); i++)
        for (int j = 0; j < conv_out_width(s); j++, patches += conv_patch_size(s))
            add_patch(s, i, j, s->channels / s->groups, patches, dx);
}

void
conv_input_gradient_col2im(const ConvShape *s, const float *dy, const float *w, float *dx)
{
    const int in = s->channels / s->groups, out = s->out_channels / s->groups, OC = s->out_channels;
    const int pixels = conv_out_height(s) * conv_out_width(s), patch = (int)conv_patch_size(s);
    const size_t image = (size_t)s->height * (size_t)s->width * (size_t)s->channels;
    float *patches = workspace_outer((size_t)pixels * (size_t)patch * sizeof(float));
    memset(dx, 0, (size_t)s->batch * image * sizeof(float));
    for (int b = 0; b < s->batch; b++, dx += image, dy += (size_t)pixels * (size_t)OC)
        for (int g = 0; g < s->groups; g++) {
            gemm_expert(false, true, pixels, patch, out, 1.0f, dy + g * out, OC, w + g * out, OC, 0.0f, patches, patch);
            col2im(s, patches, dx + g * in);
        }
}
