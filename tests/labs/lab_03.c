/* Lab 03: convolution as products of matrices, exercises/03-convolution. Each exercise starts from what the grader made, not from
 * what another exercise computed. SPDX-License-Identifier: MIT */
#include "cpu/conv/matrices.h"
#include "cpu/pool/pool.h"
#include "grade.h"
#include "lab_03_check.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Height, width, channels, output channels; then (down, along) of the kernel, stride, padding and dilation. */
#define SHAPE(h, w, c, o, kv, ku, sv, su, pv, pu, dv, du)                                                              \
    {                                                                                                                  \
        .batch = 1, .height = (h), .width = (w), .channels = (c), .out_channels = (o), .groups = 1, .window = {        \
            {(kv), (sv), (pv), (dv)},                                                                                  \
            {(ku), (su), (pu), (du)}                                                                                   \
        }                                                                                                              \
    }

static const ConvShape plain[] = {
    SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1), SHAPE(3, 3, 1, 1, 2, 2, 1, 1, 0, 0, 1, 1),
    SHAPE(5, 7, 3, 4, 3, 2, 1, 1, 0, 0, 1, 1), SHAPE(4, 1, 5, 2, 2, 1, 1, 1, 0, 0, 1, 1),
    SHAPE(6, 6, 2, 3, 6, 6, 1, 1, 0, 0, 1, 1),
};
static const ConvShape padded[] = {
    SHAPE(3, 3, 1, 1, 3, 3, 1, 1, 1, 1, 1, 1),
    SHAPE(5, 4, 3, 2, 3, 3, 1, 1, 1, 1, 1, 1),
    SHAPE(2, 7, 2, 5, 1, 5, 1, 1, 0, 2, 1, 1),
    SHAPE(1, 1, 4, 3, 3, 3, 1, 1, 2, 2, 1, 1),
};
/* Strides, also longer than the kernel; holes in it; a kernel that the image is too small for, so that nothing comes out. */
static const ConvShape strange[] = {
    SHAPE(7, 9, 2, 3, 3, 3, 2, 2, 1, 1, 1, 1),   SHAPE(11, 5, 3, 2, 2, 2, 3, 2, 0, 1, 1, 1),
    SHAPE(9, 8, 2, 4, 3, 2, 1, 2, 2, 0, 2, 3),   SHAPE(13, 11, 5, 17, 5, 3, 2, 1, 2, 1, 1, 2),
    SHAPE(2, 3, 2, 3, 3, 3, 1, 1, 0, 0, 1, 1),   SHAPE(8, 8, 3, 33, 1, 1, 2, 2, 0, 0, 1, 1),
    SHAPE(10, 10, 1, 6, 5, 5, 1, 1, 0, 0, 1, 1),
};
/* Windows of their own for each output: no pixel is seen twice. */
static const ConvShape apart[] = {
    SHAPE(4, 6, 1, 1, 2, 2, 2, 2, 0, 0, 1, 1),
    SHAPE(7, 5, 3, 2, 1, 1, 1, 1, 0, 0, 1, 1),
    SHAPE(9, 7, 2, 2, 2, 3, 3, 4, 0, 0, 1, 1),
};

/* Calls it with random numbers for each shape. */
static void
for_each(const ConvShape *shapes, size_t count, void (*test)(const Lab03Case *c))
{
    Rng rng = grade_rng();
    for (size_t i = 0; i < count; i++) {
        Lab03Case c = lab_03_create(&rng, &shapes[i]);
        test(&c);
        lab_03_free(&c);
    }
}

/* The same for 0 to 3 images. */
static void
for_each_batch(void (*test)(const Lab03Case *c))
{
    for (size_t i = 0; i < COUNT(strange); i++) {
        ConvShape shape = strange[i];
        shape.batch = (int)i % 4;
        for_each(&shape, 1, test);
    }
}

/* ---- 03.1 ---------------------------------------------------------------------------------------------------------- */

TEST(im2col_plain)
{
    for_each(plain, COUNT(plain), lab_03_check_im2col);
}

TEST(im2col_padded)
{
    for_each(padded, COUNT(padded), lab_03_check_im2col);
}

TEST(im2col_strange)
{
    for_each(strange, COUNT(strange), lab_03_check_im2col);
}

/* ---- 03.2 ---------------------------------------------------------------------------------------------------------- */

/* The image 1 .. 9 and the kernel 1 2 3 4 of the lecture. */
TEST(forward_lecture)
{
    const float P[] = {1, 2, 4, 5, 2, 3, 5, 6, 4, 5, 7, 8, 5, 6, 8, 9}, w[] = {1, 2, 3, 4};
    for (int b = 0; b <= 100; b += 100) {
        const double want[] = {37 + b, 47 + b, 67 + b, 77 + b};
        const float bias = (float)b;
        float y[4];
        grade_poison_floats(y, 4);
        matrices_forward(&plain[1], P, w, &bias, y);
        grade_floats(y, want, 4, 1, 0, "the lecture's example with bias %d: y", b);
    }
}

TEST(forward_shapes)
{
    for_each(padded, COUNT(padded), lab_03_check_forward);
    for_each(strange, COUNT(strange), lab_03_check_forward);
}

TEST(forward_batch)
{
    for_each_batch(lab_03_check_conv);
}

/* ---- 03.3 ---------------------------------------------------------------------------------------------------------- */

static void
check_weights_alone(const Lab03Case *c)
{
    lab_03_check_weight_gradient(c, 0, true, false);
}

static void
check_biases_alone(const Lab03Case *c)
{
    lab_03_check_weight_gradient(c, 0, false, true);
}

static void
check_sums(const Lab03Case *c)
{
    lab_03_check_weight_gradient(c, 7, true, true);
}

TEST(weight_gradient)
{
    for_each(padded, COUNT(padded), check_weights_alone);
    for_each(strange, COUNT(strange), check_weights_alone);
}

TEST(bias_gradient)
{
    for_each(strange, COUNT(strange), check_biases_alone);
}

TEST(gradients_add)
{
    for_each(strange, COUNT(strange), check_sums);
}

/* ---- 03.4 ---------------------------------------------------------------------------------------------------------- */

TEST(patch_gradient_plain)
{
    for_each(plain, COUNT(plain), lab_03_check_patch_gradient);
}

TEST(patch_gradient_strange)
{
    for_each(strange, COUNT(strange), lab_03_check_patch_gradient);
}

/* ---- 03.5 ---------------------------------------------------------------------------------------------------------- */

TEST(col2im_apart)
{
    for_each(apart, COUNT(apart), lab_03_check_col2im);
}

TEST(col2im_overlap)
{
    for_each(plain, COUNT(plain), lab_03_check_col2im);
}

TEST(col2im_padded)
{
    for_each(padded, COUNT(padded), lab_03_check_col2im);
    for_each(strange, COUNT(strange), lab_03_check_col2im);
}

TEST(gradients_batch)
{
    for_each_batch(lab_03_check_gradients);
}

/* ---- 03.6 ---------------------------------------------------------------------------------------------------------- */

static PoolShape
pooling(int batch, int height, int width, int channels, int kernel, int stride)
{
    PoolShape s = {.batch = batch, .height = height, .width = width, .channels = channels};
    s.window = window_square(kernel, stride, 0, 1);
    s.out_height = window_outputs(s.window.vertical, height);
    s.out_width = window_outputs(s.window.horizontal, width);
    return s;
}

TEST(pool_apart)
{
    Rng rng = grade_rng();
    lab_03_check_pooling(&rng, pooling(1, 6, 4, 1, 2, 2), WINNERS_APART);
    lab_03_check_pooling(&rng, pooling(1, 4, 7, 3, 2, 2), WINNERS_APART);
    lab_03_check_pooling(&rng, pooling(1, 1, 1, 1, 1, 1), WINNERS_APART);
}

TEST(pool_equal)
{
    Rng rng = grade_rng();
    lab_03_check_pooling(&rng, pooling(1, 5, 5, 2, 3, 1), WINNERS_EQUAL);
    lab_03_check_pooling(&rng, pooling(1, 3, 5, 7, 2, 1), WINNERS_EQUAL);
}

TEST(pool_batch)
{
    Rng rng = grade_rng();
    lab_03_check_pooling(&rng, pooling(3, 7, 5, 4, 3, 2), WINNERS_ANY);
    lab_03_check_pooling(&rng, pooling(2, 5, 9, 17, 2, 3), WINNERS_ANY);
    lab_03_check_pooling(&rng, pooling(0, 5, 9, 17, 2, 3), WINNERS_ANY);
    lab_03_check_pooling(&rng, pooling(1, 2, 2, 3, 1, 1), WINNERS_ANY);
}

GRADE_LAB("03", "convolution", {"03.1", "stride 1, no padding", 6, &im2col_plain, 5},
          {"03.1", "zeros outside the image", 7, &im2col_padded, 5},
          {"03.1", "strides, holes, no output at all", 7, &im2col_strange, 5},
          {"03.2", "the lecture's example", 5, &forward_lecture, 5}, {"03.2", "odd shapes", 5, &forward_shapes, 5},
          {"03.2", "a batch (uses 03.1)", 5, &forward_batch, 5}, {"03.3", "dw", 6, &weight_gradient, 5},
          {"03.3", "db", 4, &bias_gradient, 5}, {"03.3", "images add up", 5, &gradients_add, 5},
          {"03.4", "stride 1, no padding", 5, &patch_gradient_plain, 5},
          {"03.4", "odd shapes", 10, &patch_gradient_strange, 5},
          {"03.5", "windows that do not overlap", 4, &col2im_apart, 5},
          {"03.5", "windows that overlap", 6, &col2im_overlap, 5},
          {"03.5", "padding, strides, holes", 5, &col2im_padded, 5},
          {"03.5", "gradients of a batch (uses 03.1, 03.3, 03.4)", 5, &gradients_batch, 5},
          {"03.6", "each window its winner", 5, &pool_apart, 5},
          {"03.6", "many windows, one winner", 5, &pool_equal, 5},
          {"03.6", "a batch, windows without a winner", 5, &pool_batch, 5})
