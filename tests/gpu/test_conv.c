/* Every rung of the convolution on the emulator, in three orders of threads, without a finding, and on the device where there is
 * one; and the rungs' memory traffic. The inputs are small whole numbers: all sums are exact in floats, in any order.
 * SPDX-License-Identifier: MIT */
#include "core/rng.h"
#include "gpu/conv/conv.h"
#include "tests/cpu/conv_definition.h"
#include "tests/gpu/rungs.h"

static const char *const rungs[] = {"launch_conv_direct", "launch_conv_im2col", "launch_conv_implicit"};

typedef struct Case {
    ConvShape shape;
    size_t xs, ws, ys; /* elements */
    float *x, *w, *y, *bias, *residual;
    bool relu;
    double *want;
} Case;

static float *
whole_numbers(uint64_t stream, size_t n)
{
    float *x = ARRAY(float, n);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(rng_bits_at(5, stream, i) % 7) - 3.0f;
    return x;
}

/* What epilogue a case has. */
enum { NOTHING = 0, BIAS = 1, RESIDUAL = 2, RELU = 4 };

static Case
case_create(const ConvShape *shape, int epilogue)
{
    Case c = {.shape = *shape, .relu = epilogue & RELU};
    const ConvShape *s = &c.shape;
    c.xs = (size_t)s->batch * (size_t)s->height * (size_t)s->width * (size_t)s->channels;
    c.ws = (size_t)gpu_conv_patch(s) * (size_t)s->out_channels;
    c.ys = gpu_conv_pixels(s) * (size_t)s->out_channels;
    c.x = whole_numbers(0, c.xs);
    c.w = whole_numbers(1, c.ws);
    c.y = ARRAY(float, c.ys);
    c.want = ARRAY(double, c.ys);
    c.bias = epilogue & BIAS ? whole_numbers(2, (size_t)s->out_channels) : NULL;
    c.residual = epilogue & RESIDUAL ? whole_numbers(3, c.ys) : NULL;
    size_t at = 0;
    for (int b = 0; b < s->batch; b++)
        for (int i = 0; i < conv_out_height(s); i++)
            for (int j = 0; j < conv_out_width(s); j++)
                for (int o = 0; o < s->out_channels; o++, at++) {
                    const double sum = conv_definition(s, c.x, c.w, b, i, j, o) + (c.bias ? (double)c.bias[o] : 0) +
                                       (c.residual ? (double)c.residual[at] : 0);
                    c.want[at] = c.relu ? fmax(sum, 0) : sum;
                }
    return c;
}

static void
case_free(Case *c)
{
    array_free(c->x);
    array_free(c->w);
    array_free(c->y);
    array_free(c->bias);
    array_free(c->residual);
    array_free(c->want);
}

static void
case_run(const GpuLibrary *gpu, const Case *c, const char *rung)
{
    const size_t room = gpu_conv_workspace(&c->shape);
    float *x = rungs_input(gpu, c->x, c->xs), *w = rungs_input(gpu, c->w, c->ws);
    float *y = rungs_output(gpu, c->ys), *workspace = rungs_output(gpu, room);
    float *bias = c->bias ? rungs_input(gpu, c->bias, (size_t)c->shape.out_channels) : NULL;
    float *residual = c->residual ? rungs_input(gpu, c->residual, c->ys) : NULL;
    const Epilogue epilogue = {bias, residual, c->relu};
    ((GpuConv *)function_of(gpu, rung))(&c->shape, x, w, workspace, bias || residual || c->relu ? &epilogue : NULL, y);
    rungs_fetch(gpu, y, c->y, c->ys, rung);
    gpu->free(workspace);
    gpu->free(bias);
    gpu->free(residual);
    gpu->free(x);
    gpu->free(w);
}

static void
case_check(const GpuLibrary *gpu, const Case *c, const char *rung)
{
    const ConvShape *s = &c->shape;
    case_run(gpu, c, rung);
    const Verdict verdict = verify_against(c->y, c->want, c->ys, 0, 0);
    ck_assert_verdict(verdict, "%s %dx%dx%dx%d to %d, kernel %dx%d, %d groups", rung, s->batch, s->height, s->width,
                      s->channels, s->out_channels, s->window.vertical.kernel, s->window.horizontal.kernel, s->groups);
}

/* batch, height, width, channels, out_channels, groups, then kernel, stride, padding, dilation down and across. */
static const ConvShape shapes[] = {
    {1, 1, 1, 1, 1, 1, {{1, 1, 0, 1}, {1, 1, 0, 1}}},
    {2, 5, 7, 3, 5, 1, {{3, 1, 1, 1}, {3, 1, 1, 1}}},
    {1, 9, 6, 4, 2, 2, {{3, 2, 2, 2}, {2, 3, 1, 1}}},
    {1, 7, 8, 6, 6, 6, {{3, 1, 1, 1}, {3, 1, 1, 1}}},   /* depthwise */
    {2, 4, 5, 17, 63, 1, {{1, 1, 0, 1}, {1, 1, 0, 1}}}, /* nothing to copy */
    {1, 8, 8, 16, 64, 1, {{1, 2, 0, 1}, {1, 2, 0, 1}}},
    {3, 3, 7, 5, 65, 1, {{3, 1, 1, 1}, {2, 1, 0, 1}}},
    {1, 8, 8, 2, 3, 1, {{1, 3, 0, 1}, {2, 5, 1, 1}}}, /* stride above the kernel */
    {1, 13, 11, 1, 6, 1, {{5, 1, 2, 1}, {5, 1, 2, 1}}},
    {1, 9, 15, 16, 7, 1, {{4, 1, 4, 1}, {4, 1, 4, 1}}},
    {1, 2, 2, 3, 4, 1, {{5, 1, 0, 1}, {5, 1, 0, 1}}}, /* the kernel is larger than the image: no output */
    {1, 2, 2, 3, 4, 1, {{3, 1, 9, 1}, {3, 1, 9, 1}}}, /* most patches are outside */
    {0, 5, 5, 3, 4, 1, {{3, 1, 1, 1}, {3, 1, 1, 1}}},
    {2, 5, 5, 0, 4, 1, {{3, 1, 1, 1}, {3, 1, 1, 1}}},
    {2, 5, 5, 3, 0, 1, {{3, 1, 1, 1}, {3, 1, 1, 1}}},
    {2, 0, 5, 3, 4, 1, {{3, 1, 1, 1}, {3, 1, 1, 1}}},
    {1, 6, 5, 130, 129, 1, {{1, 1, 0, 1}, {1, 1, 1, 1}}},
    {1, 5, 4, 12, 132, 3, {{2, 1, 0, 2}, {3, 1, 1, 1}}},
};

static void
check_rungs(const GpuLibrary *gpu, int shape)
{
    Case c = case_create(&shapes[shape], shape % 8); /* every combination */
    for (int rung = 0; rung < COUNT(rungs); rung++)
        case_check(gpu, &c, rungs[rung]);
    case_free(&c);
}

RUNGS_CHECKED_ON(check_rungs, COUNT(shapes), COUNT(shapes), test_thorough())

/* More patches than come at once: the copies and products of several chunks fit together. */
TEST(patches_in_several_chunks)
{
    const ConvShape large = {1, 90, 90, 64, 3, 1, {{3, 1, 1, 1}, {3, 1, 1, 1}}};
    Case c = case_create(&large, NOTHING);
    ck_assert_uint_lt(gpu_conv_patches_at_once(&c.shape), gpu_conv_pixels(&c.shape));
    case_check(rungs_library(GPU_EMULATOR), &c, "launch_conv_im2col");
    case_free(&c);
}

/* ---- the rungs' memory traffic: 8 x 8 pixels, 32 channels to 64, 3 x 3, no padding, so that no tap is outside ---- */

enum { PIXELS = 8 * 8, IN = 32, OUT = 64, TAPS = 3 * 3 };

static EmulatorCounts
counts_of(const Checked *checked, const Case *c, const char *launch, const char *kernel)
{
    checked->reset();
    case_run(checked->library, c, launch);
    return rungs_counted(checked, kernel);
}

TEST(loads_and_stores_of_each_rung)
{
    const ConvShape shape = {1, 10, 10, IN, OUT, 1, {{3, 1, 0, 1}, {3, 1, 0, 1}}};
    const Checked checked = rungs_counters();
    Case c = case_create(&shape, NOTHING);
    ck_assert_uint_eq(c.ys, PIXELS * OUT);

    /* A warp has 32 output channels of one pixel: a word of x, a line of w, for each product. */
    const EmulatorCounts direct = counts_of(&checked, &c, "launch_conv_direct", "conv_direct");
    const unsigned warps = PIXELS * OUT / 32, terms = IN * TAPS;
    ck_assert_uint_eq(direct.loads, 2 * warps * terms);
    ck_assert_uint_eq(direct.load_sectors, (1 + 4) * warps * terms);
    ck_assert_uint_eq(direct.stores, warps);
    ck_assert_uint_eq(direct.store_sectors, 4 * warps);
    ck_assert_uint_eq(direct.flops, 2 * PIXELS * OUT * terms);

    /* Each element of a patch is read and written once, a warp's 32 channels are one line. */
    const EmulatorCounts copy = counts_of(&checked, &c, "launch_conv_im2col", "conv_patches");
    ck_assert_uint_eq(copy.loads, PIXELS * terms / 32);
    ck_assert_uint_eq(copy.load_sectors, 4 * copy.loads);
    ck_assert_uint_eq(copy.stores, copy.loads);
    ck_assert_uint_eq(copy.store_sectors, 4 * copy.loads);

    /* One block: x and w are read as patches once, 4 sectors a request, and only y is written. */
    const EmulatorCounts implicit = counts_of(&checked, &c, "launch_conv_implicit", "conv_implicit");
    ck_assert_uint_eq(implicit.loads, (PIXELS + OUT) * terms / 32);
    ck_assert_uint_eq(implicit.load_sectors, 4 * implicit.loads);
    ck_assert_uint_eq(implicit.store_bytes, 4 * PIXELS * OUT);
    ck_assert_uint_eq(implicit.store_sectors, PIXELS * OUT / 8);
    ck_assert_uint_eq(implicit.conflicts, 0);
    ck_assert_uint_eq(implicit.barriers, 2 * terms / 16);
    case_free(&c);
}

TEST_MAIN("gpu conv")
