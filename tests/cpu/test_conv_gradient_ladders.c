/* The tables of both gradients of convolution: their problems, the peer, what they count, and that they reject broken versions.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "cpu/conv/ladder_gradients.h"
#include "tests/cpu/ladder_case.h"

/* Batch, height, width, channels, out channels, kernel, stride, padding. */
static const int sizes[][LADDER_DIMENSIONS] = {
    {0, 5, 5, 2, 3, 3, 1, 1},  {1, 0, 5, 2, 3, 3, 1, 1},     {1, 5, 5, 0, 3, 3, 1, 1},    {1, 5, 5, 2, 0, 3, 1, 1},
    {1, 2, 2, 1, 1, 3, 1, 0},  {2, 7, 6, 5, 4, 3, 2, 1},     {2, 9, 9, 17, 33, 3, 1, 1},  {1, 12, 13, 3, 16, 7, 2, 3},
    {3, 5, 4, 20, 7, 1, 1, 0}, {2, 11, 11, 16, 18, 1, 2, 0}, {2, 19, 18, 32, 32, 3, 1, 1}};
static const Ladder *const ladders[] = {&conv_input_gradient_ladder, &conv_weight_gradient_ladder};

TEST(the_ladders_verify_their_own_rungs_and_the_peer)
{
    for (int i = 0; i < 2 * COUNT(sizes); i++)
        ladder_check(ladders[i % 2], sizes[i / 2], false);
}

/* A gradient of another round is wrong everywhere, whichever of the inputs it is from. */
TEST(a_result_of_the_round_before_is_wrong)
{
    const int size[LADDER_DIMENSIONS] = {2, 9, 9, 5, 4, 3, 1, 1};
    for (int i = 0; i < 2; i++)
        for (uint64_t round = 1; round <= 4; round++) {
            const size_t outputs = ladders[i]->operation.outputs(size);
            ck_assert_uint_ge(ladder_old_wrong(ladders[i], size, &ladders[i]->rungs[0], round),
                              outputs - outputs / 100);
        }
}

/* ---- broken versions: what the ladder must reject ---- */

static void
writes_nothing(const ConvShape *s, const float *a, const float *b, float *c)
{
    (void)s, (void)a, (void)b, (void)c;
}

static void
turns_the_kernel(const ConvShape *s, const float *dy, const float *w, float *dx)
{
    const size_t in_out = (size_t)s->channels * (size_t)s->out_channels;
    const int taps = s->window.vertical.kernel * s->window.horizontal.kernel;
    float *turned = ARRAY(float, (size_t)taps *in_out);
    for (int t = 0; t < taps; t++)
        memcpy(turned + (size_t)t * in_out, w + (size_t)(taps - 1 - t) * in_out, in_out * sizeof(float));
    conv_input_gradient_direct(s, dy, turned, dx);
    array_free(turned);
}

static void
misses_the_last(const ConvShape *s, const float *dy, const float *w, float *dx)
{
    conv_input_gradient_direct(s, dy, w, dx);
    dx[(size_t)s->batch * (size_t)s->height * (size_t)s->width * (size_t)s->channels - 1] = 0.0f;
}

static void
leaves_out_an_image(const ConvShape *s, const float *x, const float *dy, float *dw)
{
    ConvShape fewer = *s;
    fewer.batch--;
    conv_weight_gradient_direct(&fewer, x, dy, dw);
}

static void
rounds_too_much(const ConvShape *s, const float *x, const float *dy, float *dw)
{
    conv_weight_gradient_direct(s, x, dy, dw);
    dw[3] *= 1.001f;
}

TEST(broken_versions_are_rejected)
{
    static ConvInputGradient *const wrong[2][3] = {{writes_nothing, turns_the_kernel, misses_the_last},
                                                   {writes_nothing, leaves_out_an_image, rounds_too_much}};
    for (int i = 0; i < 6; i++)
        ladder_rejects(ladders[i / 3], (int[LADDER_DIMENSIONS]){2, 9, 9, 5, 4, 3, 1, 1},
                       &(Rung){.name = "wrong", .function = (LadderFunction *)wrong[i / 3][i % 3]});
}

/* ---- sizes ---- */

static void
check_refused(const int *size, const char *words)
{
    for (int i = 0; i < 2; i++)
        ladder_refuses(ladders[i], size, words);
}

TEST(impossible_sizes_are_refused)
{
    check_refused((int[LADDER_DIMENSIONS]){1, 5, 5, 2, 3, 0, 1, 1}, "kernel 0 and stride 1: both must be 1 or more");
    check_refused((int[LADDER_DIMENSIONS]){1, 5, 5, 2, 3, 3, 0, 1}, "kernel 3 and stride 0: both must be 1 or more");
    check_refused((int[LADDER_DIMENSIONS]){-1, 5, 5, 2, 3, 3, 1, 1}, "must be 0 or more");
    check_refused((int[LADDER_DIMENSIONS]){2000000000, 2000000000, 100000, 2, 3, 3, 1, 1}, "elements");
}

/* 3 x 3 over 4 x 5 pixels with padding 1: 10 rows and 13 columns of taps lie inside. */
TEST(work_is_counted_inside_the_image)
{
    const int size[] = {2, 4, 5, 6, 7, 3, 1, 1};
    for (int i = 0; i < 2; i++) {
        ck_assert(ladders[i]->operation.flops(size) == 2.0 * 2 * 10 * 13 * 6 * 7);
        ck_assert(ladders[i]->operation.bytes(size) == 4.0 * (2 * 20 * 6 + 9 * 42 + 2 * 20 * 7));
    }
    ck_assert_uint_eq(conv_input_gradient_ladder.operation.outputs(size), 2 * 20 * 6);
    ck_assert_uint_eq(conv_weight_gradient_ladder.operation.outputs(size), 9 * 42);
}

TEST_MAIN("conv gradient ladders")
