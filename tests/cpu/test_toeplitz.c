/* The Toeplitz matrix: the one of the lecture, and against the direct convolution.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "cpu/conv/conv.h"
#include "cpu/conv/toeplitz.h"
#include "tests/testing.h"

TEST(of_the_lecture)
{
    static const float w[] = {1, 2, 3, 4}, x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, bias[] = {0.5f};
    static const float T[] = {1, 2, 0, 3, 4, 0, 0, 0, 0, 0, 1, 2, 0, 3, 4, 0, 0, 0,
                              0, 0, 0, 1, 2, 0, 3, 4, 0, 0, 0, 0, 0, 1, 2, 0, 3, 4};
    static const float want[] = {37, 47, 67, 77}, with_bias[] = {37.5f, 47.5f, 67.5f, 77.5f};
    const ConvShape s = {1, 3, 3, 1, 1, 1, window_square(2, 1, 0, 1)};
    Toeplitz t;
    float y[4];
    ck_assert(toeplitz_create(&t, &s, w, NULL));
    ck_assert_int_eq(t.rows, 4);
    ck_assert_int_eq(t.columns, 9);
    ck_assert_floats(t.T, T, 36, 0, 0);
    toeplitz_multiply(&t, x, NULL, 1, y);
    ck_assert_floats(y, want, 4, 0, 0);
    toeplitz_multiply(&t, x, bias, 1, y);
    ck_assert_floats(y, with_bias, 4, 0, 0);
    toeplitz_free(&t);
}

static void
compare(ConvShape s)
{
    const size_t xs = (size_t)s.height * s.width * s.channels;
    const size_t ws =
        (size_t)s.window.vertical.kernel * s.window.horizontal.kernel * (s.channels / s.groups) * s.out_channels;
    Toeplitz t;
    float *x = ARRAY(float, xs), *w = ARRAY(float, ws), *bias = ARRAY(float, s.out_channels);
    rng_fill_uniform(2, 0, 0, x, xs, -1, 1);
    rng_fill_uniform(2, 1, 0, w, ws, -1, 1);
    rng_fill_uniform(2, 2, 0, bias, (size_t)s.out_channels, -1, 1);
    ck_assert(toeplitz_create(&t, &s, w, NULL));
    float *y = ARRAY(float, t.rows), *want = ARRAY(float, t.rows);
    conv_direct(&s, x, w, &(Epilogue){.bias = bias}, want);
    toeplitz_multiply(&t, x, bias, s.out_channels, y);
    ck_assert_int_eq(t.rows, conv_out_height(&s) * conv_out_width(&s) * s.out_channels);
    ck_assert_floats(y, want, (size_t)t.rows, 1e-5, 1e-5);
    array_free(x);
    array_free(w);
    array_free(bias);
    array_free(y);
    array_free(want);
    toeplitz_free(&t);
}

TEST(of_other_shapes)
{
    compare((ConvShape){1, 5, 4, 1, 1, 1, window_square(3, 1, 1, 1)});
    compare((ConvShape){1, 7, 6, 3, 5, 1, window_square(3, 2, 1, 1)});
    compare((ConvShape){1, 7, 6, 4, 6, 2, window_square(2, 1, 0, 2)});
    compare((ConvShape){1, 5, 5, 3, 3, 3, window_square(3, 1, 1, 1)});
    compare((ConvShape){1, 2, 2, 1, 1, 1, window_square(3, 1, 0, 1)}); /* no output */
}

TEST(too_large)
{
    const ConvShape s = {1, 56, 56, 64, 64, 1, window_square(3, 1, 1, 1)};
    Toeplitz t;
    ck_assert_refused(toeplitz_create(&t, &s, NULL, &error), "200704 x 200704");
    toeplitz_free(&t);
}

TEST_MAIN("toeplitz")
