/* conv, rung 2: im2col.
 * Idea      write the patches out as a matrix, and leave the rest to gemm, which is fast already.
 *
 *               patches [pixels][KH KW channels]   times   w [KH KW channels][out_channels]   =   y [pixels][out_channels]
 *
 *           A 1x1 convolution of stride 1 needs no matrix: x is one.
 * Before    direct loads and stores each output in the L1 cache for each product.
 * Now       a product of matrices, near the machine's peak. But each pixel is written and read KH KW times: 3 x 3 of 64 channels at
 *           56 x 56 pixels are 0.8 MB of image and 7.2 MB of patches. So the matrix is made a block of rows at a time.
 * Wants     a buffer of BLOCK floats, or of one row.
 * Source    Chellapilla, Puri, Simard: High performance convolutional neural networks for document processing, 2006.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "core/workspace.h"
#include "cpu/conv/conv.h"
#include "cpu/conv/patches.h"
#include "cpu/conv/peers.h"
#include "cpu/epilogue.h"

enum {
    BLOCK = 1 << 20, /* floats, 4 MiB: a part of the last-level cache */
    AT_ONCE = 64     /* rows that a thread writes */
};

/* Rows first .. first+count-1 of the matrix of patches of one group. */
static void
write_patches(const ConvShape *s, const float *x, int group, size_t first, size_t count, float *patches)
{
    const size_t K = conv_patch_size(s);
#pragma omp parallel for num_threads(host_threads()) if (count * K > 10000)
    for (size_t m = 0; m < count; m += AT_ONCE)
        conv_write_patches(s, x, first + m, count - m < AT_ONCE ? count - m : AT_ONCE, group, patches + m * K);
}

/* Rows of y, of one group: patches times w. */
static void
multiply(Gemm *gemm, const ConvShape *s, const float *patches, int row, size_t count, const float *w, float *y)
{
    const int N = s->out_channels / s->groups, K = (int)conv_patch_size(s);
    gemm(false, false, (int)count, N, K, 1.0f, patches, row > 0 ? row : 1, w, s->out_channels, 0.0f, y,
         s->out_channels);
}

void
conv_im2col_by(Gemm *gemm, const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    const size_t M = conv_out_pixels(s), K = conv_patch_size(s), N = (size_t)s->out_channels;
    const size_t rows = K == 0 || BLOCK / K > M ? M : BLOCK / K + 1;
    const int channels = s->channels / s->groups, outputs = s->out_channels / s->groups;
    float *patches = conv_is_pointwise(s) ? NULL : workspace_outer(sizeof(float) * rows * K);
    for (size_t m = 0; m < M && N > 0; m += rows) {
        const size_t count = rows < M - m ? rows : M - m;
        for (int g = 0; g < s->groups; g++) {
            if (patches != NULL)
                write_patches(s, x, g, m, count, patches);
            const float *A = patches != NULL ? patches : x + m * (size_t)s->channels + (size_t)(g * channels);
            multiply(gemm, s, A, patches != NULL ? (int)K : s->channels, count, w + g * outputs,
                     y + m * N + g * outputs);
        }
#pragma omp parallel for num_threads(host_threads()) if (epilogue != NULL && count * N > 10000)
        for (size_t i = m; i < m + count; i++)
            epilogue_row(epilogue, 0, i * N, s->out_channels, y);
    }
}

void
conv_im2col(const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    conv_im2col_by(gemm_expert, s, x, w, epilogue, y);
}
