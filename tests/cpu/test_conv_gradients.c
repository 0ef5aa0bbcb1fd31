/* Every rung of both gradients of convolution on every shape that a border, a stride, a dilation, a group or the end of a tile
 * could get wrong; against sums in double, and against what convolution itself does.
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "core/vector.h"
#include "cpu/conv_input_gradient/03_expert_flipped.h"
#include "tests/cpu/conv_gradients_case.h"
#include "tests/testing.h"

static const char *
text_of(const ConvShape *s)
{
    static char text[200];
    const WindowAxis v = s->window.vertical, u = s->window.horizontal;
    snprintf(text, sizeof text, "%dx%dx%dx%d -> %d, groups %d, kernel %dx%d stride %dx%d padding %dx%d dilation %dx%d",
             s->batch, s->height, s->width, s->channels, s->out_channels, s->groups, v.kernel, u.kernel, v.stride,
             u.stride, v.padding, u.padding, v.dilation, u.dilation);
    return text;
}

static void
check_verdict(Verdict verdict, const Guarded *output, const char *what, const char *rung, const ConvShape *s)
{
    verdict.overrun = !guarded_intact(output);
    ck_assert_verdict(verdict, "%s %s, %s", what, rung, text_of(s));
}

static void
check_shape(ConvShape shape)
{
    GradientCase c = gradient_case(shape);
    Guarded dx = guarded_create(c.xs), dw = guarded_create(c.ws);
    for (int r = 0; r < INPUT_RUNGS; r++) {
        guarded_poison(&dx);
        input_rungs[r].run(&shape, c.dy, c.w, dx.x);
        check_verdict(verify_within(dx.x, c.dx, c.dx_tolerance, c.xs), &dx, "dx", input_rungs[r].name, &shape);
    }
    for (int r = 0; r < WEIGHT_RUNGS; r++) {
        if (!weight_rung_takes(&weight_rungs[r], &shape))
            continue;
        guarded_poison(&dw);
        weight_rungs[r].run(&shape, c.x, c.dy, dw.x);
        check_verdict(verify_within(dw.x, c.dw, c.dw_tolerance, c.ws), &dw, "dw", weight_rungs[r].name, &shape);
    }
    guarded_free(&dx);
    guarded_free(&dw);
    gradient_case_free(&c);
}

static ConvShape
square(int batch, int size, int channels, int out_channels, int groups, Window window)
{
    return (ConvShape){batch, size, size, channels, out_channels, groups, window};
}

TEST(every_small_window)
{
    for (int kernel = 1; kernel <= 4; kernel++)
        for (int stride = 1; stride <= 5; stride++)
            for (int padding = 0; padding <= 3; padding++)
                for (int dilation = 1; dilation <= 4; dilation++)
                    check_shape((ConvShape){2, 7, 6, 3, 5, 1, window_square(kernel, stride, padding, dilation)});
}

TEST(every_small_size)
{
    for (int height = 0; height <= 5; height++)
        for (int width = 0; width <= 5; width++)
            for (int batch = 0; batch <= 2; batch++) {
                check_shape((ConvShape){batch, height, width, 2, 3, 1, window_square(3, 1, 1, 1)});
                check_shape((ConvShape){batch, height, width, 2, 3, 1, window_square(3, 2, 1, 1)});
                check_shape((ConvShape){batch, height, width, 2, 3, 1, window_square(2, 3, 0, 1)});
            }
}

TEST(channels_around_vectors_and_tiles)
{
    static const int counts[] = {0, 1, 3, 13, 15, 16, 17, 31, 33, 47, 63, 64, 65, 127, 131};
    enum { COUNTS = COUNT(counts) };
    for (int i = 0; i < COUNTS; i++)
        for (int o = 0; o < COUNTS; o++) {
            check_shape(square(1, 4, counts[i], counts[o], 1, window_square(3, 1, 1, 1)));
            check_shape(square(2, 3, counts[i], counts[o], 1, window_square(1, 1 + (i + o) % 2, 0, 1)));
        }
}

TEST(groups_and_depthwise)
{
    static const int groups[][3] = {{2, 4, 6},    {3, 3, 9},    {7, 7, 7},   {5, 35, 5},
                                    {16, 32, 16}, {17, 17, 34}, {4, 132, 68}};
    for (int g = 0; g < 7; g++)
        for (int stride = 1; stride <= 2; stride++) {
            check_shape(square(2, 6, groups[g][1], groups[g][2], groups[g][0], window_square(3, stride, 1, 1)));
            check_shape(square(2, 6, groups[g][1], groups[g][2], groups[g][0], window_square(1, stride, 0, 1)));
            check_shape(square(1, 9, groups[g][1], groups[g][2], groups[g][0], window_square(3, stride, 2, 2)));
        }
}

/* Nothing that is the same in both directions. */
TEST(windows_that_are_not_square)
{
    static const Window windows[] = {{{1, 1, 0, 1}, {7, 1, 3, 1}}, {{7, 2, 3, 1}, {1, 1, 0, 1}},
                                     {{2, 3, 1, 2}, {5, 1, 4, 1}}, {{3, 1, 0, 3}, {2, 4, 1, 1}},
                                     {{1, 2, 0, 1}, {1, 1, 0, 1}}, {{1, 1, 1, 1}, {1, 1, 0, 1}},
                                     {{4, 6, 5, 4}, {3, 4, 2, 6}}};
    for (int i = 0; i < 7; i++) {
        check_shape((ConvShape){2, 11, 13, 3, 17, 1, windows[i]});
        check_shape((ConvShape){1, 13, 8, 18, 4, 2, windows[i]});
    }
}

/* Several panels of rows and columns, several blocks of every sum: of pixels (512) for dw, of taps and channels (1024) for dx. */
TEST(shapes_of_several_blocks)
{
    check_shape((ConvShape){2, 23, 29, 5, 70, 1, window_square(3, 1, 1, 1)});
    check_shape((ConvShape){1, 24, 23, 33, 16, 1, window_square(3, 2, 1, 1)});
    check_shape((ConvShape){1, 5, 6, 3, 131, 1, window_square(3, 1, 1, 1)});
    check_shape((ConvShape){1, 7, 5, 67, 257, 1, window_square(3, 2, 1, 1)});
    check_shape((ConvShape){1, 31, 33, 3, 20, 1, window_square(7, 2, 3, 1)});
    check_shape((ConvShape){3, 20, 20, 10, 7, 1, window_square(1, 1, 0, 1)});
    check_shape((ConvShape){5, 28, 28, 1, 6, 1, window_square(5, 1, 2, 1)});
    check_shape((ConvShape){20, 14, 14, 6, 17, 1, window_square(5, 1, 0, 1)});
}

/* Few out channels: vectors of pixels, some of them beyond the end of a row; rows of the kernel of 1 to 8 taps. */
TEST(planes_of_pixels)
{
    const Window usual = window_square(3, 1, 1, 1);
    ck_assert(conv_planes_accepts(&(ConvShape){1, 9, 9, 3, VECTOR_LANES / 2, 1, usual}));
    ck_assert(!conv_planes_accepts(&(ConvShape){1, 9, 9, 3, VECTOR_LANES / 2 + 1, 1, usual}));
    for (int i = 0; i < 8; i++) {
        const Window window = {{3, 1 + i % 2, 1, 1 + i / 4}, {i + 1, 1, i / 2, 1 + i % 3}};
        check_shape((ConvShape){2, 10, 30 + i, 1 + i % 3, i + 1, 1, window});
        check_shape((ConvShape){1, 5, 15 + i % 4, 2, i + 1, 1, usual});
    }
    check_shape((ConvShape){12, 60, 70, 1, VECTOR_LANES / 2, 1, usual}); /* several blocks of a chunk */
}

/* An infinity in x reaches the taps that met it, and no others: not those of the pixels before it in memory, which are in
 * another row. It stands first or last in its row, where a vector that is too long would read it for another one. */
TEST(infinity_stays_where_it_is)
{
    const ConvShape s = {1, 6, 21, 1, 2, 1, window_square(3, 1, 0, 1)};
    for (int column = 0; column < s.width; column += s.width - 1)
        for (int r = 0; r < WEIGHT_RUNGS; r++) {
            GradientCase c = gradient_case(s);
            float dw[9 * 2];
            c.x[3 * s.width + column] = INFINITY;
            weight_rungs[r].run(&s, c.x, c.dy, dw);
            for (int i = 0; i < 9 * 2; i++)
                ck_assert_msg((bool)isfinite(dw[i]) == (i / 2 % 3 != (column == 0 ? 0 : 2)), "%s: dw[%d] is %g",
                              weight_rungs[r].name, i, (double)dw[i]);
            gradient_case_free(&c);
        }
}

/* Where convolution takes Winograd's algorithm, so does the gradient of the input: with each padding, and sizes with edge tiles. */
TEST(flipped_convolutions)
{
    for (int padding = 0; padding <= 2; padding++) {
        const ConvShape shape = {3, 17, 19, 48, 37, 1, window_square(3, 1, padding, 1)};
        ck_assert_ptr_nonnull(input_gradient_flipped_algorithm(&shape));
        check_shape(shape);
    }
    const ConvShape other[] = {{3, 17, 19, 48, 37, 1, window_square(3, 1, 3, 1)},
                               {3, 17, 19, 45, 37, 1, window_square(3, 1, 1, 1)},
                               {3, 37, 39, 48, 37, 1, window_square(3, 2, 1, 1)}};
    for (int i = 0; i < 3; i++) {
        ck_assert_ptr_null(input_gradient_flipped_algorithm(&other[i]));
        check_shape(other[i]);
    }
}

/* ---- against convolution itself ----------------------------------------------------------------------------------------- */

static double
loss(const ConvShape *s, const float *x, const float *w, const float *dy, size_t ys)
{
    float *y = ARRAY(float, ys);
    double sum = 0.0;
    conv_direct(s, x, w, NULL, y);
    for (size_t n = 0; n < ys; n++)
        sum += (double)y[n] * (double)dy[n];
    array_free(y);
    return sum;
}

/* sum(y dy) is linear in x and in w, so a difference is exact but for rounding, however large the step. */
static void
check_differences(const ConvShape *s, const GradientCase *c, float *array, size_t n, const float *gradient,
                  const char *what)
{
    double magnitude = 0.0;
    for (size_t i = 0; i < n; i++) {
        const float kept = array[i];
        array[i] = kept + 0.5f;
        const double above = loss(s, c->x, c->w, c->dy, c->ys);
        array[i] = kept - 0.5f;
        const double below = loss(s, c->x, c->w, c->dy, c->ys);
        array[i] = kept;
        ck_assert_msg(fabs(above - below - (double)gradient[i]) <= 1e-4, "%s %s [%zu]: %g, by differences %g", what,
                      text_of(s), i, (double)gradient[i], above - below);
        magnitude += fabs(above - below);
    }
    ck_assert(magnitude > 0.1 * (double)n);
}

TEST(gradients_are_differences_of_the_convolution)
{
    const ConvShape shapes[] = {{2, 5, 4, 3, 4, 1, window_square(3, 1, 1, 1)},
                                {1, 7, 6, 4, 6, 2, window_square(3, 2, 1, 1)},
                                {2, 6, 5, 5, 5, 5, window_square(2, 1, 0, 2)},
                                {2, 5, 5, 7, 3, 1, window_square(1, 1, 0, 1)}};
    for (int i = 0; i < 4; i++) {
        const ConvShape *s = &shapes[i];
        GradientCase c = gradient_case(*s);
        float *dx = ARRAY(float, c.xs), *dw = ARRAY(float, c.ws);
        conv_input_gradient_expert(s, c.dy, c.w, dx);
        conv_weight_gradient_expert(s, c.x, c.dy, dw);
        check_differences(s, &c, c.x, c.xs, dx, "dx");
        check_differences(s, &c, c.w, c.ws, dw, "dw");
        array_free(dx);
        array_free(dw);
        gradient_case_free(&c);
    }
}

/* ---- threads -------------------------------------------------------------------------------------------------------------- */

/* Outputs of the thread numbers 1 to 4, all equal. */
static void
compare_threads(const char *what, const char *rung, const ConvShape *shape, int threads, const float *first,
                const float *other, size_t n)
{
    ck_assert_msg(threads == 1 || memcmp(first, other, n * sizeof(float)) == 0, "%s %s, %s: %d threads", what, rung,
                  text_of(shape), threads);
}

static void
check_threads(const ConvShape *shape)
{
    GradientCase c = gradient_case(*shape);
    float *dx[2] = {ARRAY(float, c.xs), ARRAY(float, c.xs)}, *dw[2] = {ARRAY(float, c.ws), ARRAY(float, c.ws)};
    for (int r = 0; r < INPUT_RUNGS; r++)
        for (int threads = 1; threads <= 4; threads++) {
            host_set_threads(threads);
            input_rungs[r].run(shape, c.dy, c.w, dx[threads > 1]);
            compare_threads("dx", input_rungs[r].name, shape, threads, dx[0], dx[1], c.xs);
        }
    for (int r = 0; r < WEIGHT_RUNGS; r++)
        for (int threads = 1; weight_rung_takes(&weight_rungs[r], shape) && threads <= 4; threads++) {
            host_set_threads(threads);
            weight_rungs[r].run(shape, c.x, c.dy, dw[threads > 1]);
            compare_threads("dw", weight_rungs[r].name, shape, threads, dw[0], dw[1], c.ws);
        }
    for (int t = 0; t < 2; t++) {
        array_free(dx[t]);
        array_free(dw[t]);
    }
    gradient_case_free(&c);
}

TEST(the_same_bits_with_any_number_of_threads)
{
    const ConvShape shapes[] = {{3, 23, 19, 33, 65, 1, window_square(3, 1, 1, 1)},
                                {2, 28, 28, 64, 70, 1, window_square(3, 2, 1, 1)},
                                {2, 41, 40, 3, 64, 1, window_square(7, 2, 3, 1)},
                                {1, 5, 5, 200, 150, 1, window_square(3, 1, 1, 1)},
                                {4, 20, 20, 96, 100, 1, window_square(1, 1, 0, 1)},
                                {4, 30, 30, 64, 64, 2, window_square(3, 1, 1, 1)},
                                {2, 21, 20, 48, 50, 1, window_square(3, 1, 1, 1)},
                                {64, 28, 28, 1, VECTOR_LANES / 2, 1, window_square(5, 1, 2, 1)},
                                {65, 14, 14, 6, 16, 1, window_square(5, 1, 0, 1)}};
    const int before = host_threads();
    for (size_t i = 0; i < COUNT(shapes); i++)
        check_threads(&shapes[i]);
    host_set_threads(before);
}

TEST_MAIN("conv gradients")
