/* conv_weight_gradient, rung 2: im2col.
 * Idea      forward is  y = patches(x) w,  a matrix product, so  dw = patches(x)^T dy:
 *
 *               dw [KH KW channels][OC]  +=  (patches [output pixels][KH KW channels])^T  dy [output pixels][OC]
 *
 *           for one image after the other.
 * Before    rung 1 reads and writes all of dw for each pixel.
 * Now       the multiplications are those of gemm's best rung: sums over pixels stay in registers.
 * But       the patches are KH KW / (stride stride) times as large as x, and go to memory and back.
 * Wants     memory for the patches of one image.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "core/workspace.h"
#include "cpu/conv/conv.h"
#include "cpu/conv/patches.h"
#include "cpu/gemm/gemm.h"
#include <string.h>

/* The patches of image b, one group. */
static void
write_patches(const ConvShape *s, const float *x, int b, int group, float *patches)
{
    for (int i = 0; i < conv_out_height(s); i++)
        for (int j = 0; j < conv_out_width(s); j++, patches += conv_patch_size(s))
            conv_write_patch(s, x, (Pixel){b, i, j}, group, 0, (int)conv_patch_size(s), patches);
}

void
conv_weight_gradient_im2col(const ConvShape *s, const float *x, const float *dy, float *dw)
{
    const int patch = (int)conv_patch_size(s), out = s->out_channels / s->groups, OC = s->out_channels;
    const size_t pixels = (size_t)conv_out_height(s) * (size_t)conv_out_width(s);
    float *patches = workspace_outer(pixels * (size_t)patch * sizeof(float));
    memset(dw, 0, (size_t)patch * (size_t)OC * sizeof(float));
    for (int b = 0; b < s->batch; b++, dy += pixels * (size_t)OC)
        for (int g = 0; g < s->groups; g++) {
            write_patches(s, x, b, g, patches);
            gemm_expert(true, false, patch, out, (int)pixels, 1.0f, patches, patch, dy + g * out, OC, 1.0f,
                        dw + g * out, OC);
        }
}
