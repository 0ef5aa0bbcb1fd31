/* LAB 03, exercises 03.1 to 03.5. This copy of cpu/conv/matrices.c is yours to complete: it takes that file's place
 * when the lab is graded. Replace the lines EXERCISE_NOT_SOLVED by your code. In the root of the project:
 *
 *     make grade LAB=03       points for each exercise, and the first wrong value
 *     make hint LAB=03.1      the next hint for an exercise
 *     make watch LAB=03       grade again whenever this file is saved
 *     make reset LAB=03       begin again; your version is kept in .rungs/backup
 *
 * Teachers: `make labs` cuts this file from cpu/conv/matrices.c; change it there. */
/* Convolution as products of matrices: see matrices.h. One image:
 *
 *      x [height][width][channels]                    P [pixels][KH KW channels]
 *      +---------------------+                        +-------------+-------------+---+
 *      |  +-----+            |       im2col           | tap (0,0)   | tap (0,1)   | ..|  pixel (0, 0)
 *      |  | i j |            |    ------------->      +-------------+-------------+---+
 *      |  +-----+            |    <------------- +=   | tap (0,0)   | tap (0,1)   | ..|  pixel (0, 1)
 *      |                     |       col2im           +-------------+-------------+---+
 *      +---------------------+                                    ..
 *
 * A tap is a pixel of x: `channels` numbers, or as many zeros outside the image.
 * Lecture   lectures/03-convolution.md
 * SPDX-License-Identifier: MIT */
#include "cpu/conv/matrices.h"
#include "core/array.h"
#include "core/checked.h"
#include "cpu/conv/patches.h"
#include "cpu/gemm/gemm.h"
#include <string.h>

/* The first channel of pixel (h, w) is element pixel_at() of an image; -1 if there is no such pixel. */
static ptrdiff_t
pixel_at(const ConvShape *s, int h, int w)
{
    if (h < 0 || h >= s->height || w < 0 || w >= s->width)
        return -1;
    return ((ptrdiff_t)h * s->width + w) * s->channels;
}

/* EXERCISE 03.1  im2col (20 min, about 11 lines)
 * Write the rows of P one behind the other, from P[0] on: for each output pixel (i, j), row by row of the output, for each tap
 * (a, c), row by row of the kernel, the s->channels numbers of the pixel of x that it sees,
 *     h = window_begin(v, i) + a v.dilation,   w = window_begin(u, j) + c u.dilation
 * or as many zeros, if that pixel lies outside the image. pixel_at, above, knows both. The output has conv_out_height(s) x
 * conv_out_width(s) pixels, the kernel v.kernel x u.kernel taps.
 */
void
matrices_im2col(const ConvShape *s, const float *x, float *P)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    const size_t bytes = (size_t)s->channels * sizeof(float);
    EXERCISE_NOT_SOLVED("03.1"); /* TODO: about 11 lines */
}

/* EXERCISE 03.2  Forward (10 min, about 4 lines)
 * y = P w + bias, with M rows and N columns, and sums of length K: first bias[o] into column o of every row, then one call of
 * gemm_expert (cpu/gemm/gemm.h) that adds the product to what is there. All three matrices are stored without gaps: from row to
 * row it is as many numbers as there are columns.
 */
void
matrices_forward(const ConvShape *s, const float *P, const float *w, const float *bias, float *y)
{
    const int M = conv_out_height(s) * conv_out_width(s), N = s->out_channels, K = (int)conv_patch_size(s);
    EXERCISE_NOT_SOLVED("03.2"); /* TODO: about 4 lines */
}

/* EXERCISE 03.3  The gradient of the weights (15 min, about 4 lines)
 * dw += P^T dy: a product of K rows and N columns, whose sums run over the M pixels; gemm_expert takes P as it is stored, and
 * transposes it. db[o] += the sum of column o of dy. Both are added to: the images of a batch come one after the other.
 */
void
matrices_weight_gradient(const ConvShape *s, const float *P, const float *dy, float *dw, float *db)
{
    const int M = conv_out_height(s) * conv_out_width(s), N = s->out_channels, K = (int)conv_patch_size(s);
    EXERCISE_NOT_SOLVED("03.3"); /* TODO: about 4 lines */
}

/* EXERCISE 03.4  The gradient of the patches (10 min, about 1 line)
 * dP = dy w^T: a product of M rows and K columns, whose sums run over the N output channels. dP may hold anything before, NaN
 * included.
 */
void
matrices_patch_gradient(const ConvShape *s, const float *dy, const float *w, float *dP)
{
    const int M = conv_out_height(s) * conv_out_width(s), N = s->out_channels, K = (int)conv_patch_size(s);
    EXERCISE_NOT_SOLVED("03.4"); /* TODO: about 1 line */
}

/* EXERCISE 03.5  col2im (20 min, about 9 lines)
 * The way back of 03.1. dx is all zeros already. Read the rows of dP in the order in which 03.1 writes those of P, and add each
 * number to the place of dx that 03.1 would have copied it from. What 03.1 did not copy, the zeros outside the image, has no
 * place: leave it out.
 */
void
matrices_col2im(const ConvShape *s, const float *dP, float *dx)
{
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    memset(dx, 0, (size_t)s->height * (size_t)s->width * (size_t)s->channels * sizeof(float));
    EXERCISE_NOT_SOLVED("03.5"); /* TODO: about 9 lines */
}

/* How many numbers an image of x, one of y, and a matrix of patches have. */
typedef struct Sizes {
    size_t x, y, P;
} Sizes;

static Sizes
sizes_of(const ConvShape *s)
{
    CHECK_THAT(s->groups == 1, "the plain products know one group, got %d", s->groups);
    const size_t pixels = (size_t)conv_out_height(s) * (size_t)conv_out_width(s);
    return (Sizes){(size_t)s->height * (size_t)s->width * (size_t)s->channels, pixels * (size_t)s->out_channels,
                   pixels * conv_patch_size(s)};
}

void
matrices_conv(const ConvShape *s, const float *x, const float *w, const float *bias, float *y)
{
    const Sizes size = sizes_of(s);
    float *P = ARRAY(float, size.P);
    for (int b = 0; b < s->batch; b++, x += size.x, y += size.y) {
        matrices_im2col(s, x, P);
        matrices_forward(s, P, w, bias, y);
    }
    array_free(P);
}

void
matrices_conv_gradients(const ConvShape *s, const float *x, const float *w, const float *dy, float *dx, float *dw,
                        float *db)
{
    const Sizes size = sizes_of(s);
    float *P = ARRAY(float, size.P);
    memset(dw, 0, conv_patch_size(s) * (size_t)s->out_channels * sizeof(float));
    memset(db, 0, (size_t)s->out_channels * sizeof(float));
    for (int b = 0; b < s->batch; b++, x += size.x, dy += size.y, dx += size.x) {
        matrices_im2col(s, x, P);
        matrices_weight_gradient(s, P, dy, dw, db);
        matrices_patch_gradient(s, dy, w, P); /* the patches are not needed any more: dP takes their place */
        matrices_col2im(s, P, dx);
    }
    array_free(P);
}
