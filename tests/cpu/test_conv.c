/* Every rung of the convolution against the formula in double, on shapes that meet every edge. The inputs are small whole numbers:
 * all sums are exact in floats, in any order, so that all rungs but Winograd's must give exactly what the formula gives.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/host.h"
#include "core/rng.h"
#include "core/vector.h"
#include "cpu/conv/conv.h"
#include "tests/cpu/conv_definition.h"
#include "tests/testing.h"

typedef struct Rung {
    const char *name;
    ConvForward *run;
    bool (*accepts)(const ConvShape *shape); /* NULL: every shape */
    double tolerance;                        /* of outputs that are sums of up to 1000 products of up to 12 */
} Rung;

static const Rung rungs[] = {
    {"direct", conv_direct, NULL, 0},
    {"im2col", conv_im2col, NULL, 0},
    {"implicit", conv_implicit, NULL, 0},
    {"winograd_2x2", conv_winograd_2x2, conv_winograd_accepts, 0}, /* halves and quarters: exact as well */
    {"winograd_4x4", conv_winograd_4x4, conv_winograd_accepts, 1e-2},
    {"offsets", conv_offsets, NULL, 0},
    {"planes", conv_planes, conv_planes_accepts, 0},
    {"expert", conv_expert, NULL, 1e-2},
};

static bool
takes(const Rung *rung, const ConvShape *s)
{
    return rung->accepts == NULL || rung->accepts(s);
}

typedef struct Case {
    ConvShape shape;
    size_t x_count, w_count, y_count;
    float *x, *w, *bias, *residual;
    double *want; /* the sums alone */
} Case;

static float *
whole_numbers(uint64_t stream, size_t n, int most)
{
    float *x = ARRAY(float, n);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)((int)(rng_bits_at(5, stream, i) % (uint32_t)(2 * most + 1)) - most);
    return x;
}

static Case
case_create(const ConvShape *s)
{
    const size_t height = (size_t)conv_out_height(s), width = (size_t)conv_out_width(s), O = (size_t)s->out_channels;
    Case c = {.shape = *s};
    c.x_count = (size_t)s->batch * s->height * s->width * s->channels;
    c.w_count = (size_t)s->window.vertical.kernel * s->window.horizontal.kernel * (s->channels / s->groups) * O;
    c.y_count = s->batch * height * width * O;
    c.x = whole_numbers(0, c.x_count, 3);
    c.w = whole_numbers(1, c.w_count, 4);
    c.bias = whole_numbers(2, O, 20);
    c.residual = whole_numbers(3, c.y_count, 20);
    c.want = ARRAY(double, c.y_count);
    size_t at = 0;
    for (int b = 0; b < s->batch; b++)
        for (size_t i = 0; i < height; i++)
            for (size_t j = 0; j < width; j++)
                for (size_t o = 0; o < O; o++)
                    c.want[at++] = conv_definition(s, c.x, c.w, b, (int)i, (int)j, (int)o);
    return c;
}

static void
case_free(Case *c)
{
    array_free(c->x);
    array_free(c->w);
    array_free(c->bias);
    array_free(c->residual);
    array_free(c->want);
}

static void
check_rung(const Case *c, const Rung *rung, const Epilogue *e, const double *want)
{
    const ConvShape *s = &c->shape;
    for (int threads = 1; threads <= 3; threads++) {
        Guarded y = guarded_create(c->y_count);
        guarded_poison(&y);
        host_set_threads(threads);
        rung->run(s, c->x, c->w, e, y.x);
        Verdict verdict = verify_against(y.x, want, c->y_count, rung->tolerance, 0.0);
        verdict.overrun = !guarded_intact(&y);
        ck_assert_verdict(verdict, "%s, %d threads, %d x %d x %d x %d to %d channels, %d groups, kernel %d x %d",
                          rung->name, threads, s->batch, s->height, s->width, s->channels, s->out_channels, s->groups,
                          s->window.vertical.kernel, s->window.horizontal.kernel);
        guarded_free(&y);
    }
}

static double
finished(const Case *c, const Epilogue *e, size_t i)
{
    double y = c->want[i];
    if (e != NULL && e->bias != NULL)
        y += (double)e->bias[i % (size_t)c->shape.out_channels];
    if (e != NULL && e->residual != NULL)
        y += (double)e->residual[i];
    return e != NULL && e->relu && y < 0.0 ? 0.0 : y;
}

/* All rungs that take the shape, with every epilogue. */
static void
check(ConvShape s)
{
    Case c = case_create(&s);
    double *want = ARRAY(double, c.y_count);
    for (int which = 0; which < 9; which++) {
        const Epilogue e = {which & 1 ? c.bias : NULL, which & 2 ? c.residual : NULL, which & 4};
        const Epilogue *epilogue = which < 8 ? &e : NULL;
        for (size_t i = 0; i < c.y_count; i++)
            want[i] = finished(&c, epilogue, i);
        for (int r = 0; r < COUNT(rungs); r++)
            if (takes(&rungs[r], &s))
                check_rung(&c, &rungs[r], epilogue, want);
    }
    array_free(want);
    case_free(&c);
}

static ConvShape
square(int batch, int size, int channels, int out, int kernel, int stride, int padding)
{
    return (ConvShape){batch, size, size, channels, out, 1, window_square(kernel, stride, padding, 1)};
}

TEST(sizes_of_images)
{
    for (int batch = 0; batch <= 2; batch++)
        for (int size = 0; size <= 9; size++)
            for (int padding = 0; padding <= 1; padding++)
                check(square(batch, size, 3, 5, 3, 1, padding));
    check((ConvShape){2, 13, 30, 4, 6, 1, window_square(3, 1, 1, 1)}); /* more columns than rows */
    check((ConvShape){1, 31, 7, 4, 6, 1, window_square(3, 1, 1, 1)});
    check((ConvShape){1, 1, 57, 2, 3, 1, window_square(3, 1, 1, 1)}); /* one row */
    check((ConvShape){1, 57, 1, 2, 3, 1, window_square(3, 1, 1, 1)});
}

TEST(numbers_of_channels)
{
    const int counts[] = {0, 1, 2, 3, 15, 16, 17, 31, 64, 65};
    for (int i = 0; i < 10; i++)
        for (int o = 0; o < 10; o++)
            check(square(1, 5, counts[i], counts[o], 3, 1, 1));
    check(square(1, 8, 16, 127, 3, 1, 1));
    check(square(1, 8, 67, 130, 3, 2, 1));
    check(square(1, 4, 113, 200, 3, 1, 1));
}

TEST(kernels_strides_paddings)
{
    for (int kernel = 1; kernel <= 5; kernel++)
        for (int stride = 1; stride <= 3; stride++)
            for (int padding = 0; padding <= 3; padding++)
                check(square(2, 8, 3, 17, kernel, stride, padding));
    check(square(1, 9, 4, 5, 1, 4, 0)); /* a stride wider than the kernel leaves pixels out */
    check(square(2, 23, 3, 20, 7, 2, 3));
    check(square(1, 1, 8, 8, 1, 1, 0));
    check(square(2, 10, 70, 66, 1, 2, 0));
    check(square(1, 2, 3, 4, 5, 1, 0)); /* no output: the window is larger than the image */
    check(square(1, 2, 3, 4, 3, 1, 4)); /* some windows see padding alone */
    check((ConvShape){2, 12, 9, 5, 7, 1, {{5, 2, 1, 1}, {2, 1, 0, 1}}});
    check((ConvShape){2, 12, 9, 5, 7, 1, {{1, 1, 0, 1}, {3, 2, 1, 1}}});
}

TEST(dilation)
{
    for (int d = 2; d <= 3; d++)
        for (int stride = 1; stride <= 2; stride++)
            check((ConvShape){2, 11, 10, 3, 18, 1, window_square(3, stride, d, d)});
    check((ConvShape){1, 9, 9, 16, 16, 1, {{3, 1, 2, 2}, {3, 1, 1, 1}}});
    check((ConvShape){2, 11, 40, 3, VECTOR_LANES / 2, 1, {{3, 1, 2, 2}, {3, 1, 3, 3}}});
    check((ConvShape){1, 9, 9, 16, 16, 1, {{3, 1, 1, 1}, {3, 1, 2, 2}}});
}

TEST(groups)
{
    const int pairs[][3] = {{2, 2, 2}, {4, 8, 2}, {6, 3, 3}, {34, 32, 2}, {48, 96, 3}};
    for (int i = 0; i < 5; i++)
        for (int kernel = 1; kernel <= 3; kernel += 2)
            check((ConvShape){2, 7, 8, pairs[i][0], pairs[i][1], pairs[i][2], window_square(kernel, 1, kernel / 2, 1)});
    check((ConvShape){1, 9, 9, 32, 32, 4, window_square(3, 2, 2, 2)});
}

TEST(depthwise)
{
    const int channels[] = {1, 3, 16, 17, 40};
    for (int i = 0; i < 5; i++)
        for (int stride = 1; stride <= 2; stride++)
            check((ConvShape){2, 9, 8, channels[i], channels[i], channels[i], window_square(3, stride, 1, 1)});
    check((ConvShape){1, 8, 8, 5, 10, 5, window_square(3, 1, 1, 1)}); /* two outputs for each channel */
}

/* Every number of output columns around the width of a micro-kernel's tile, and blocks of every kind. */
TEST(tiles)
{
    for (int width = 5; width <= 16; width++)
        check((ConvShape){1, 3, width, 16, 33, 1, window_square(3, 1, 1, 1)});
    check(square(1, 14, 32, 64, 3, 1, 1));
    check(square(1, 14, 32, 65, 3, 2, 1));
    check(square(3, 12, 20, 24, 3, 1, 1));
}

/* Sums of many products, random numbers, and bits that must not depend on the number of threads. */
static void
check_bits(ConvShape s)
{
    Case c = case_create(&s);
    float *first = ARRAY(float, c.y_count), *y = ARRAY(float, c.y_count);
    rng_fill_normal(1, 0, 0, c.x, c.x_count, 0.0, 1.0);
    rng_fill_normal(1, 1, 0, c.w, c.w_count, 0.0, 1.0);
    const Epilogue e = {c.bias, c.residual, true};
    for (int r = 0; r < COUNT(rungs); r++)
        for (int threads = 1; takes(&rungs[r], &s) && threads <= 4; threads++) {
            host_set_threads(threads);
            rungs[r].run(&s, c.x, c.w, &e, threads == 1 ? first : y);
            ck_assert_msg(threads == 1 || memcmp(first, y, sizeof(float) * c.y_count) == 0,
                          "%s: %d threads give other bits than 1", rungs[r].name, threads);
        }
    array_free(first);
    array_free(y);
    case_free(&c);
}

TEST(same_bits)
{
    check_bits(square(2, 14, 64, 64, 3, 1, 1));
    check_bits(square(1, 7, 96, 160, 3, 1, 1));
    check_bits(square(3, 15, 24, 40, 3, 2, 1));
    check_bits(square(2, 15, 64, 80, 1, 1, 0));
    check_bits(square(1, 30, 3, 64, 7, 2, 3));
    check_bits(square(20, 28, 1, VECTOR_LANES / 2, 5, 1, 2));
    check_bits((ConvShape){2, 15, 15, 32, 32, 32, window_square(3, 1, 1, 1)});
}

TEST(not_a_number_stays)
{
    const ConvShape s = square(1, 6, 4, 4, 3, 1, 1);
    for (int r = 0; r < COUNT(rungs); r++) {
        if (!takes(&rungs[r], &s))
            continue;
        Case c = case_create(&s);
        float y[6 * 6 * 4];
        c.x[2 * 4] = NAN; /* row 0, column 2: seen from pixel (0, 1) */
        rungs[r].run(&s, c.x, c.w, &(Epilogue){.relu = true}, y);
        ck_assert_msg(isnan(y[1 * 4]), "%s: ReLU hides NaN", rungs[r].name);
        case_free(&c);
    }
}

TEST_MAIN("conv")
