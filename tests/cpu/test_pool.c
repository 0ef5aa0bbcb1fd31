/* Pooling: both rungs against the definition (tests/cpu/pool_truth.h).
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/host.h"
#include "core/rng.h"
#include "core/vector.h"
#include "cpu/pool/pool.h"
#include "tests/cpu/pool_truth.h"
#include "tests/testing.h"

typedef struct Rung {
    const char *name;
    MaxPoolForward *max;
    MaxPoolBackward *max_gradient;
    AveragePoolForward *average;
    AveragePoolBackward *average_gradient;
} Rung;

static const Rung rungs[] = {
    {"naive", max_pool_forward_naive, max_pool_backward_naive, average_pool_forward_naive, average_pool_backward_naive},
    {"vector", max_pool_forward_vector, max_pool_backward_vector, average_pool_forward_vector,
     average_pool_backward_vector},
};
enum { RUNGS = 2 };

/* ---- the rungs against it ---------------------------------------------------------------------------------------------------- */

static void
check_output(const char *name, const char *what, const PoolShape *s, const Guarded *got, Verdict verdict)
{
    verdict.overrun = !guarded_intact(got);
    ck_assert_verdict(verdict, "%s, %s of %dx%dx%dx%d, kernel %dx%d, stride %d, padding %d", name, what, s->batch,
                      s->height, s->width, s->channels, s->window.vertical.kernel, s->window.horizontal.kernel,
                      s->window.vertical.stride, s->window.vertical.padding);
}

/* atol: that of a sum of that number of terms of about 1. */
static void
check_rung(const Rung *rung, const PoolShape *s, const float *x, const float *dy, const Truth *t)
{
    const size_t in = pixels_in(s), out = pixels_out(s);
    const double terms = s->window.vertical.kernel * s->window.horizontal.kernel, u = FLT_EPSILON / 2;
    Guarded y = guarded_create(out), winner = guarded_create(out), dx = guarded_create(in);
    rung->max(s, x, y.x, (int32_t *)(void *)winner.x);
    check_output(rung->name, "maximum", s, &y, verify_against(y.x, t->max, out, 0, 0));
    ck_assert_msg(memcmp(winner.x, t->winner, out * sizeof(int32_t)) == 0, "%s: other winners", rung->name);
    ck_assert(guarded_intact(&winner));
    guarded_poison(&y);
    rung->max(s, x, y.x, NULL);
    check_output(rung->name, "maximum alone", s, &y, verify_against(y.x, t->max, out, 0, 0));
    rung->max_gradient(s, dy, t->winner, dx.x);
    for (size_t i = 0; i < in; i++)
        t->max_sum[i] *= (terms + 2) * u;
    check_output(rung->name, "gradient of maximum", s, &dx, verify_within(dx.x, t->dmax, t->max_sum, in));
    guarded_poison(&y);
    rung->average(s, x, y.x);
    check_output(rung->name, "average", s, &y, verify_against(y.x, t->average, out, 4 * (sqrt(terms) + 3) * u, 4 * u));
    guarded_poison(&dx);
    rung->average_gradient(s, dy, dx.x);
    for (size_t i = 0; i < in; i++)
        t->avg_sum[i] *= (terms + 3) * u;
    check_output(rung->name, "gradient of average", s, &dx, verify_within(dx.x, t->daverage, t->avg_sum, in));
    for (size_t i = 0; i < in; i++) { /* as before */
        t->max_sum[i] /= (terms + 2) * u;
        t->avg_sum[i] /= (terms + 3) * u;
    }
    guarded_free(&y);
    guarded_free(&winner);
    guarded_free(&dx);
}

static void
check_shape(const PoolShape *s)
{
    float *x = ARRAY(float, pixels_in(s)), *dy = ARRAY(float, pixels_out(s));
    rng_fill_normal(1, 0, 0, x, pixels_in(s), 0, 1);
    rng_fill_normal(1, 1, 0, dy, pixels_out(s), 0, 1);
    for (size_t i = 0; i < pixels_in(s); i++) /* some equal numbers, to see who wins */
        x[i] = i % 3 == 0 ? roundf(x[i]) : x[i];
    Truth t = truth_create(s, x, dy);
    for (int r = 0; r < RUNGS; r++)
        check_rung(&rungs[r], s, x, dy, &t);
    truth_free(&t);
    array_free(x);
    array_free(dy);
}

/* more: outputs beyond those of core/sliding_window.h, as in ceil mode. */
static PoolShape
shape_of(int batch, int height, int width, int channels, Window window, int more)
{
    return (PoolShape){batch,
                       height,
                       width,
                       channels,
                       window_outputs(window.vertical, height) + more,
                       window_outputs(window.horizontal, width) + more,
                       window};
}

TEST(every_channel_count)
{
    for (int channels = 0; channels <= 67; channels++) {
        const PoolShape s = shape_of(2, 7, 5, channels, window_square(3, 2, 1, 1), 0);
        check_shape(&s);
    }
}

TEST(every_window)
{
    for (int kernel = 1; kernel <= 4; kernel++)
        for (int stride = 1; stride <= 5; stride++)
            for (int padding = 0; padding <= kernel / 2; padding++)
                for (int dilation = 1; dilation <= 3; dilation++)
                    for (int more = 0; more <= 1; more++) {
                        const PoolShape s =
                            shape_of(1, 11, 8, 3, window_square(kernel, stride, padding, dilation), more);
                        check_shape(&s);
                    }
}

/* Side by side, without gaps and edges: each pixel belongs to one window. */
TEST(windows_that_tile)
{
    const Window window = {{2, 2, 0, 1}, {3, 3, 0, 1}};
    for (int channels = 0; channels <= 2 * VECTOR_LANES + 1; channels++) {
        const PoolShape s = shape_of(3, 6, 9, channels, window, 0);
        check_shape(&s);
    }
}

TEST(windows_that_are_not_square)
{
    const Window tall = {{5, 2, 2, 1}, {2, 3, 0, 2}}, flat = {{1, 1, 0, 1}, {4, 1, 2, 1}};
    const PoolShape shapes[] = {shape_of(3, 13, 9, 17, tall, 0), shape_of(2, 9, 13, 33, flat, 0),
                                shape_of(1, 1, 1, 5, window_square(1, 1, 0, 1), 0)};
    for (int i = 0; i < 3; i++)
        check_shape(&shapes[i]);
}

/* The global average: one window as large as the image. */
TEST(the_whole_image)
{
    static const int sizes[][4] = {{1, 1, 1, 1}, {2, 7, 7, 512}, {3, 5, 11, 31}, {0, 3, 3, 4}, {5, 3, 3, 0}};
    for (int i = 0; i < 5; i++) {
        const int *n = sizes[i];
        const PoolShape s = {n[0], n[1], n[2], n[3], 1, 1, {{n[1], 1, 0, 1}, {n[2], 1, 0, 1}}};
        check_shape(&s);
    }
}

TEST(nothing_in_nothing_out)
{
    const Window window = window_square(2, 2, 0, 1);
    const PoolShape shapes[] = {shape_of(0, 4, 4, 3, window, 0), shape_of(2, 0, 4, 3, window, 0),
                                shape_of(2, 4, 1, 3, window, 0)}; /* the last: no output, but dx is cleared */
    for (int i = 0; i < 3; i++)
        check_shape(&shapes[i]);
}

/* Outputs that see the padding alone, or not even that. */
TEST(windows_without_a_pixel)
{
    const PoolShape s = shape_of(1, 3, 3, 18, window_square(1, 2, 2, 1), 2);
    check_shape(&s);
    for (int r = 0; r < RUNGS; r++) {
        float x[9 * 18] = {0}, y[6 * 6 * 18];
        int32_t winner[6 * 6 * 18];
        ck_assert_int_le(s.out_height, 6);
        rungs[r].max(&s, x, y, winner);
        ck_assert(isinf(y[0]) && y[0] < 0 && winner[0] == -1);
        rungs[r].average(&s, x, y);
        ck_assert(y[0] == 0);
    }
}

TEST(nan_wins_and_the_first_of_equals)
{
    enum { C = 19 };
    const PoolShape s = shape_of(1, 2, 2, C, window_square(2, 2, 0, 1), 0);
    for (int r = 0; r < RUNGS; r++)
        for (int at = 0; at < 4; at++) {
            float x[4 * C], y[C];
            int32_t winner[C];
            for (int i = 0; i < 4 * C; i++)
                x[i] = i % C == 2 ? -INFINITY : 5;
            x[at * C + 1] = x[3 * C + 1] = x[at * C + 17] = NAN;
            rungs[r].max(&s, x, y, winner);
            for (int c = 0; c < C; c++)
                ck_assert_msg((c == 1 || c == 17) == !!isnan(y[c]), "%s, channel %d: %g", rungs[r].name, c,
                              (double)y[c]);
            ck_assert_int_eq(winner[1], at);
            ck_assert_int_eq(winner[17], at);
            ck_assert(winner[0] == 0 && winner[2] == 0 && y[2] == -INFINITY);
            rungs[r].average(&s, x, y);
            ck_assert(isnan(y[1]) && isnan(y[17]) && y[0] == 5 && y[2] == -INFINITY);
        }
}

/* Numbers made once with PyTorch: AvgPool2d(3, stride=2, padding=1, ceil_mode=True) of 0 .. 15 in 4 x 4. */
TEST(ceil_mode_divides_as_pytorch)
{
    const float want[9] = {10.0f / 9, 24.0f / 9, 10.0f / 6, 51.0f / 9, 10, 33.0f / 6, 25.0f / 6, 7, 15.0f / 4};
    const PoolShape s = {1, 4, 4, 1, 3, 3, window_square(3, 2, 1, 1)};
    for (int r = 0; r < RUNGS; r++) {
        float x[16], y[9];
        for (int i = 0; i < 16; i++)
            x[i] = (float)i;
        rungs[r].average(&s, x, y);
        ck_assert_floats(y, want, 9, 0, 2e-7);
    }
}

static void
check_threads(const PoolShape s)
{
    const size_t in = pixels_in(&s), out = pixels_out(&s);
    float *x = ARRAY(float, in), *dy = ARRAY(float, out), *first = ARRAY(float, 3 * out + 2 * in);
    float *now = ARRAY(float, 3 * out + 2 * in);
    const int before = host_threads();
    rng_fill_normal(1, 0, 0, x, in, 0, 1);
    rng_fill_normal(1, 1, 0, dy, out, 0, 1);
    for (int threads = 1; threads <= 4; threads++) {
        float *to = threads == 1 ? first : now;
        int32_t *winner = (int32_t *)(void *)(to + 2 * out);
        host_set_threads(threads);
        max_pool_forward_vector(&s, x, to, winner);
        average_pool_forward_vector(&s, x, to + out);
        max_pool_backward_vector(&s, dy, winner, to + 3 * out);
        average_pool_backward_vector(&s, dy, to + 3 * out + in);
        if (threads > 1)
            ck_assert_msg(memcmp(first, now, (3 * out + 2 * in) * sizeof(float)) == 0, "%d threads", threads);
    }
    host_set_threads(before);
    array_free(x);
    array_free(dy);
    array_free(first);
    array_free(now);
}

/* Long enough that threads share them. */
TEST(the_same_bits_with_any_number_of_threads)
{
    check_threads(shape_of(3, 33, 31, 48, window_square(3, 2, 1, 1), 0));
    check_threads(shape_of(3, 64, 62, 48, window_square(2, 2, 0, 1), 0));
}

TEST_MAIN("pool")
