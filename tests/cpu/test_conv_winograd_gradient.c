/* Winograd's gradient of the weights: sizes with edge tiles, channels around its panels, several blocks of tiles,
 * and how far off it is. A tap that sees few pixels, at a corner, gets the roundings of whole tiles: what is allowed is measured
 * by the taps of the same two channels together.
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "cpu/conv_weight_gradient/algorithm.h"
#include "tests/cpu/conv_gradients_case.h"
#include "tests/testing.h"

enum { TAPS = 9, LOOSER = 24 /* as cpu/conv_weight_gradient/ladder.c allows */ };

/* Of each pair of channels, the largest of its taps for all of them. */
static void
allow(GradientCase *c)
{
    const size_t pairs = c->ws / TAPS;
    for (size_t i = 0; i < pairs; i++) {
        double most = 0.0;
        for (size_t tap = 0; tap < TAPS; tap++)
            most = fmax(most, c->dw_tolerance[tap * pairs + i]);
        for (size_t tap = 0; tap < TAPS; tap++)
            c->dw_tolerance[tap * pairs + i] = LOOSER * most;
    }
}

/* dw by each number of threads. */
static void
check_shape(ConvShape s)
{
    const int before = host_threads();
    GradientCase c = gradient_case(s);
    Guarded dw = guarded_create(c.ws);
    float *first = ARRAY(float, c.ws);
    allow(&c);
    ck_assert(conv_winograd_accepts(&s));
    for (int threads = 1; threads <= 4; threads++) {
        host_set_threads(threads);
        guarded_poison(&dw);
        conv_weight_gradient_winograd(&s, c.x, c.dy, dw.x);
        Verdict verdict = verify_within(dw.x, c.dw, c.dw_tolerance, c.ws);
        verdict.overrun = !guarded_intact(&dw);
        ck_assert_verdict(verdict, "%dx%dx%dx%d -> %d, padding %d, %d threads", s.batch, s.height, s.width, s.channels,
                          s.out_channels, s.window.vertical.padding, threads);
        if (threads == 1)
            memcpy(first, dw.x, c.ws * sizeof(float));
        ck_assert_msg(memcmp(first, dw.x, c.ws * sizeof(float)) == 0, "%d threads give other bits", threads);
    }
    host_set_threads(before);
    array_free(first);
    guarded_free(&dw);
    gradient_case_free(&c);
}

static ConvShape
shape(int batch, int height, int width, int channels, int out_channels, int padding)
{
    return (ConvShape){batch, height, width, channels, out_channels, 1, window_square(3, 1, padding, 1)};
}

TEST(sizes_around_tiles)
{
    for (int height = 0; height <= 10; height++)
        for (int width = 0; width <= 10; width++)
            for (int padding = 0; padding <= 3; padding++)
                check_shape(shape((height + width) % 3, height, width, 2, 3, padding));
}

TEST(channels_around_panels)
{
    static const int counts[] = {0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 129};
    enum { COUNTS = COUNT(counts) };
    for (int i = 0; i < COUNTS; i++)
        for (int o = 0; o < COUNTS; o++)
            check_shape(shape(1, 5, 6, counts[i], counts[o], 1));
}

/* Paddings that differ, and a kernel that is not this rung's. */
TEST(windows)
{
    ConvShape s = shape(2, 9, 14, 5, 6, 1);
    s.window.vertical.padding = 0;
    s.window.horizontal.padding = 2;
    check_shape(s);
    s.window.vertical.stride = 2;
    ck_assert(!conv_winograd_accepts(&s));
}

/* The tiles of the last shape are several blocks; all of them are chosen by the expert. */
TEST(what_the_expert_chooses)
{
    const ConvShape shapes[] = {shape(3, 17, 19, 48, 37, 1), shape(2, 21, 20, 16, 130, 0), shape(9, 41, 42, 67, 65, 1)};
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(conv_weight_gradient_algorithm(&shapes[i]), WEIGHT_GRADIENT_WINOGRAD);
        check_shape(shapes[i]);
    }
    const ConvShape few = shape(1, 4, 4, 64, 64, 1);
    ck_assert_int_eq(conv_weight_gradient_algorithm(&few), WEIGHT_GRADIENT_IMPLICIT);
}

TEST_MAIN("conv winograd gradient")
