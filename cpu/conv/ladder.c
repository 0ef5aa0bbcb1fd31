/* conv: the table of rungs, and what the driver needs to know of the operation.
 *
 * The reference of a large problem costs as much as the problem itself, so it is computed once. A convolution is linear in each of
 * its inputs: a round multiplies x and w by powers of two of either sign, which change no mantissa, and the reference by their
 * product, exactly. Each round has other factors for both, so that an output of the round before is wrong wherever it is not 0,
 * and so is one made from weights that were transformed then.
 *
 * Winograd's rungs may be further off. Their sum over channels is shorter, 1/9 of the terms, but what is summed is larger: place
 * (r, s) of the tile holds numbers that are sqrt(b_r b_s) and sqrt(g_r g_s) times as large as those of the input and the kernel,
 * b and g being the squared lengths of the rows of B^T and G, and reaches output (i, j) with the factor A_ir A_js. Roundings taken
 * as random, the errors of output (i, j) are sqrt(S_i S_j) / 9 times those of direct sums, with S_i = sum over r of A_ir^2 b_r g_r:
 *
 *     F(2x2, 3x3)   S = 5, 5                      0.6 times, less than direct sums
 *     F(4x4, 3x3)   S = 9.0, 8.6, 17.3, 94.3      1.0 times at best, and 10.5 times at the last output of a tile
 *
 * The transforms round as well. So they are given 2 and 24 times the tolerance.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "cpu/conv/algorithm.h"
#include "cpu/conv/ladder_gradients.h"
#include "cpu/conv/peers.h"
#include "cpu/ladders.h"
#include "cpu/onednn.h"
#include "cpu/openblas.h"
#include <float.h>
#include <math.h>

typedef struct Inputs {
    ConvShape shape;
    float *x, *w;
    size_t xs, ws;    /* elements of them */
    double *want;     /* [outputs], with both factors 1 */
    double factor[2]; /* of x and w in this round */
} Inputs;

static void
destroy(void *inputs)
{
    Inputs *in = inputs;
    array_free(in->x);
    array_free(in->w);
    array_free(in->want);
    array_free(in);
}

static size_t
outputs_of(const ConvShape *s)
{
    return (size_t)s->batch * (size_t)conv_out_height(s) * (size_t)conv_out_width(s) * (size_t)s->out_channels;
}

static size_t
outputs(const int *size)
{
    const ConvShape s = conv_gradient_shape(size);
    return outputs_of(&s);
}

/* ---- what is right ---- */

/* As for gemm (cpu/gemm/ladder_problem.c). */
static void
reference(const void *inputs, double *want, double *tolerance)
{
    const Inputs *in = inputs;
    const double K = (double)in->shape.channels * in->shape.window.vertical.kernel * in->shape.window.horizontal.kernel;
    const double n = K + 3.0, u = FLT_EPSILON / 2.0, factor = in->factor[0] * in->factor[1];
    for (size_t i = 0; i < outputs_of(&in->shape); i++) {
        want[i] = factor * in->want[i];
        tolerance[i] = fabs(factor) * u * fmin(n * K, 12.0 * sqrt(n * K));
    }
}

/* ---- inputs ---- */

static bool
allocate(Inputs *in, Error *error)
{
    const ConvShape *s = &in->shape;
    const size_t kernel = (size_t)s->window.vertical.kernel * (size_t)s->window.horizontal.kernel;
    in->xs = (size_t)s->batch * (size_t)s->height * (size_t)s->width;
    if (!size_multiply(in->xs, (size_t)s->channels, &in->xs) ||
        !size_multiply(kernel * (size_t)s->channels, (size_t)s->out_channels, &in->ws))
        return error_set(error, "convolution: the number of elements does not fit into size_t");
    in->x = array_try_create(in->xs, sizeof(float), error);
    in->w = in->x != NULL ? array_try_create(in->ws, sizeof(float), error) : NULL;
    in->want = in->w != NULL ? array_try_create(outputs_of(s), sizeof(double), error) : NULL;
    return in->want != NULL;
}

static void *
create(const int *size, uint64_t seed, Error *error)
{
    if (size[CONV_KERNEL] < 1 || size[CONV_STRIDE] < 1) {
        error_set(error, "convolution with kernel %d and stride %d: both must be 1 or more, as in 16x56x56x64x64x3x1x1",
                  size[CONV_KERNEL], size[CONV_STRIDE]);
        return NULL;
    }
    Inputs *in = ARRAY(Inputs, 1);
    *in = (Inputs){.shape = conv_gradient_shape(size), .factor = {1.0, 1.0}};
    if (!allocate(in, error)) {
        destroy(in);
        return NULL;
    }
    rng_fill_uniform(seed, 0, 0, in->x, in->xs, -1.0, 1.0);
    rng_fill_uniform(seed, 1, 0, in->w, in->ws, -1.0, 1.0);
    conv_reference(&in->shape, in->x, in->w, in->want);
    return in;
}

static void
scale(float *x, size_t n, double *factor, double now)
{
    const float change = (float)(now / *factor);
    for (size_t i = 0; i < n; i++)
        x[i] *= change;
    *factor = now;
}

static void
refresh(void *inputs, uint64_t round)
{
    static const double of_x[3] = {1.0, -0.5, 0.25}, of_w[3] = {1.0, 0.125, -0.0625};
    Inputs *in = inputs;
    scale(in->x, in->xs, &in->factor[0], of_x[round % 3]);
    scale(in->w, in->ws, &in->factor[1], of_w[round % 3]);
}

static void
call(LadderFunction *function, const void *inputs, void *output)
{
    const Inputs *in = inputs;
    ((ConvForward *)function)(&in->shape, in->x, in->w, NULL, output);
}

/* ---- the rungs ---- */

static bool
winograd_accepts(const int *size, Error *reason)
{
    const ConvShape s = conv_gradient_shape(size);
    return conv_winograd_accepts(&s) || error_set(reason, "takes 3 x 3 kernels of stride 1");
}

static double
tolerance_factor_2x2(const int *size)
{
    (void)size;
    return 2.0;
}

static double
tolerance_factor_4x4(const int *size)
{
    (void)size;
    return 24.0;
}

static double
tolerance_factor_expert(const int *size)
{
    const ConvShape s = conv_gradient_shape(size);
    const ConvAlgorithm chosen = conv_expert_algorithm(&s);
    return chosen == CONV_WINOGRAD_4x4   ? tolerance_factor_4x4(size)
           : chosen == CONV_WINOGRAD_2x2 ? tolerance_factor_2x2(size)
                                         : 1.0;
}

static const char *
algorithm_of_expert(const int *size)
{
    static const char *const names[] = {[CONV_GEMM] = "gemm",
                                        [CONV_IM2COL] = "im2col",
                                        [CONV_BLOCKS] = "blocks",
                                        [CONV_WINOGRAD_2x2] = "winograd_2x2",
                                        [CONV_WINOGRAD_4x4] = "winograd_4x4",
                                        [CONV_OFFSETS] = "offsets",
                                        [CONV_PLANES] = "planes"};
    const ConvShape s = conv_gradient_shape(size);
    return names[conv_expert_algorithm(&s)];
}

static bool
onednn_conv_accepts(const int *size, Error *reason)
{
    const ConvShape s = conv_gradient_shape(size);
    return onednn_accepts(size, reason) && conv_onednn_accepts(&s, reason);
}

static void
prepare_onednn(const void *inputs)
{
    const Inputs *in = inputs;
    conv_onednn_prepare(&in->shape, in->x, in->w);
}

static void
fetch_onednn(const void *inputs, void *output)
{
    (void)inputs;
    conv_onednn_fetch(output);
}

static const char *
algorithm_of_onednn(const int *size)
{
    (void)size;
    return conv_onednn_name();
}

/* oneDNN may choose Winograd, too, and has layouts of its own for all tensors: their conversion is not timed. */
static const Rung rungs[] = {
    {.name = "direct",
     .idea = "seven loops",
     .file = "cpu/conv/01_direct.c",
     .function = (LadderFunction *)conv_direct},
    {.name = "im2col",
     .idea = "patches written out, times w by gemm",
     .file = "cpu/conv/02_im2col.c",
     .function = (LadderFunction *)conv_im2col},
    {.name = "implicit",
     .idea = "patches packed straight into panels",
     .file = "cpu/conv/03_implicit.c",
     .function = (LadderFunction *)conv_implicit},
    {.name = "winograd_2x2",
     .idea = "16 multiplications instead of 36",
     .file = "cpu/conv/04_winograd_2x2.c",
     .function = (LadderFunction *)conv_winograd_2x2,
     .accepts = winograd_accepts,
     .tolerance_factor = tolerance_factor_2x2},
    {.name = "winograd_4x4",
     .idea = "36 multiplications instead of 144",
     .file = "cpu/conv/05_winograd_4x4.c",
     .function = (LadderFunction *)conv_winograd_4x4,
     .accepts = winograd_accepts,
     .tolerance_factor = tolerance_factor_4x4},
    {.name = "offsets",
     .idea = "no patches: x is read by a table of offsets",
     .file = "cpu/conv/06_offsets.c",
     .function = (LadderFunction *)conv_offsets,
     .accepts = conv_size_accepts_offsets},
    {.name = "planes",
     .idea = "few out channels: vectorised over pixels",
     .file = "cpu/conv/07_planes.c",
     .function = (LadderFunction *)conv_planes,
     .accepts = conv_size_accepts_planes},
    {.name = "expert",
     .idea = "the algorithm chosen by the shape",
     .file = "cpu/conv/08_expert.c",
     .function = (LadderFunction *)conv_expert,
     .tolerance_factor = tolerance_factor_expert,
     .algorithm = algorithm_of_expert},
    {.name = "openblas",
     .idea = "im2col, then cblas_sgemm",
     .file = "cpu/conv/openblas.c",
     .function = (LadderFunction *)conv_im2col_openblas,
     .peer = true,
     .accepts = openblas_accepts,
     .describe = openblas_describe,
     .use_threads = openblas_use_threads},
    {.name = "onednn",
     .idea = "the convolution primitive, layouts converted before",
     .file = "cpu/conv/onednn.c",
     .function = (LadderFunction *)conv_onednn_run,
     .peer = true,
     .accepts = onednn_conv_accepts,
     .describe = onednn_describe,
     .use_threads = onednn_use_threads,
     .prepare = prepare_onednn,
     .fetch = fetch_onednn,
     .algorithm = algorithm_of_onednn},
};

const Ladder conv_ladder = {
    .operation = {.name = "conv",
                  .formula = "y = x * w, images NHWC, without bias",
                  .dimensions = CONV_GRADIENT_DIMENSIONS,
                  .dimension_count = CONV_NUMBERS,
                  .counts = CONV_PADDING,
                  .tolerance = "|error| <= 2^-24 min(n K, 12 sqrt(n K)), n = K + 3, K terms of at most 1; Winograd: 2 "
                               "and 24 times that",
                  .lecture = "lectures/03-convolution.md",
                  .create = create,
                  .refresh = refresh,
                  .reference = reference,
                  .call = call,
                  .destroy = destroy,
                  .outputs = outputs,
                  .flops = conv_gradient_flops,
                  .bytes = conv_gradient_bytes},
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
