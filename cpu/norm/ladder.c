/* normalisation: the ladders. A size is rows x channels; of images, rows = batch x height x width.
 * Batch normalisation knows mean and variance only when it has seen all of x, and then has to read x again: what it must move, if x
 * is larger than the caches, is x twice and y once, and its gradient x and dy twice and dx once. That is what is counted.
 * SPDX-License-Identifier: MIT */
#include "cpu/ladders.h"
#include "cpu/norm/ladder_internal.h"
#include "cpu/norm/norm.h"

static const float EPSILON = (float)NORM_EPSILON, MOMENTUM = 0.1F;

/* ---- forward ---------------------------------------------------------------------------------------------------------------- */

static LadderArrays *
create(const int *size, uint64_t seed, int count, const LadderArray *arrays, Error *error)
{
    LadderArrays description = {.size = {size[0], size[1]}, .seed = seed};
    for (int i = 0; i < count; i++)
        description.array[i] = arrays[i];
    return ladder_arrays_create(&description, error);
}

static void *
create_forward(const int *size, uint64_t seed, Error *error)
{
    const size_t n = ladder_arrays_count(2, size), C = (size_t)size[1];
    const LadderArray arrays[] = {
        {n, -1, 1, NULL}, {C, 0.5, 2, NULL}, {C, -1, 1, NULL}, {C, -1, 1, NULL}, {C, 0.5, 2, NULL}};
    return create(size, seed, 5, arrays, error);
}

/* The output: y, means, inverses. */
static void
call_batch(LadderFunction *function, const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    const LadderArray *s = in->array;
    float *y = output, *mean = y + s[0].n;
    ((BatchNormForward *)function)(in->size[0], in->size[1], s[0].x, s[1].x, s[2].x, EPSILON, MOMENTUM, NULL, NULL, y,
                                   mean, mean + (size_t)in->size[1]);
}

static void
call_infer(LadderFunction *function, const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    const LadderArray *s = in->array;
    ((BatchNormInfer *)function)(in->size[0], in->size[1], s[0].x, s[1].x, s[2].x, s[3].x, s[4].x, EPSILON, output);
}

static void
call_layer(LadderFunction *function, const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    const LadderArray *s = in->array;
    float *y = output, *mean = y + s[0].n;
    ((LayerNormForward *)function)(in->size[0], in->size[1], s[0].x, s[1].x, s[2].x, EPSILON, y, mean,
                                   mean + (size_t)in->size[0]);
}

/* ---- backward --------------------------------------------------------------------------------------------------------------- */

static LadderArrays *
create_gradient(const int *size, uint64_t seed, size_t groups, Error *error)
{
    const size_t n = ladder_arrays_count(2, size), C = (size_t)size[1];
    const LadderArray arrays[] = {
        {n, -1, 1, NULL}, {n, -1, 1, NULL}, {C, 0.5, 2, NULL}, {groups, 0, 1, NULL}, {groups, 0, 1, NULL}};
    return create(size, seed, 5, arrays, error);
}

static void *
create_batch_gradient(const int *size, uint64_t seed, Error *error)
{
    LadderArrays *in = create_gradient(size, seed, (size_t)size[1], error);
    if (in != NULL)
        batch_norm_gradient_refresh(in, 0);
    return in;
}

static void *
create_layer_gradient(const int *size, uint64_t seed, Error *error)
{
    LadderArrays *in = create_gradient(size, seed, (size_t)size[0], error);
    if (in != NULL)
        layer_norm_gradient_refresh(in, 0);
    return in;
}

/* The output: dx, dgamma, dbeta. Both gradients have one type. */
static void
call_gradient(LadderFunction *function, const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    const LadderArray *s = in->array;
    float *dx = output, *dgamma = dx + s[0].n;
    ((BatchNormBackward *)function)(in->size[0], in->size[1], s[0].x, s[1].x, s[2].x, s[3].x, s[4].x, dx, dgamma,
                                    dgamma + (size_t)in->size[1]);
}

/* ---- the tables ------------------------------------------------------------------------------------------------------------- */

static size_t
elements(const int *size)
{
    return (size_t)size[0] * (size_t)size[1];
}

/* Elements of the output, operations, and arrays of [rows][channels] that go through memory. */
#define COUNTS(title, more, operations, arrays)                                                                        \
    static size_t title##_outputs(const int *size)                                                                     \
    {                                                                                                                  \
        return elements(size) + (size_t)(more);                                                                        \
    }                                                                                                                  \
    static double title##_flops(const int *size)                                                                       \
    {                                                                                                                  \
        return (operations) * (double)elements(size);                                                                  \
    }                                                                                                                  \
    static double title##_bytes(const int *size)                                                                       \
    {                                                                                                                  \
        return (arrays) * sizeof(float) * (double)elements(size);                                                      \
    }

COUNTS(batch_norm, 2 * size[1], 6, 3)
COUNTS(batch_norm_infer, 0, 3, 2)
COUNTS(batch_norm_gradient, 2 * size[1], 9, 5)
COUNTS(layer_norm, 2 * size[0], 7, 2)
COUNTS(layer_norm_gradient, 2 * size[1], 13, 3)

#define RUNGS(title, first, second, kind)                                                                              \
    static const Rung title##_rungs[] = {{.name = "naive",                                                             \
                                          .idea = "the formulas, sum by sum, in double",                               \
                                          .file = "cpu/norm/01_" kind "_naive.c",                                      \
                                          .function = (LadderFunction *)first},                                        \
                                         {.name = "vector",                                                            \
                                          .idea = "as few passes as can be, vectors, threads",                         \
                                          .file = "cpu/norm/02_" kind "_vector.c",                                     \
                                          .function = (LadderFunction *)second}}
RUNGS(batch_norm, batch_norm_forward_naive, batch_norm_forward_vector, "batch");
RUNGS(batch_norm_infer, batch_norm_infer_naive, batch_norm_infer_vector, "batch");
RUNGS(batch_norm_gradient, batch_norm_backward_naive, batch_norm_backward_vector, "batch");
RUNGS(layer_norm, layer_norm_forward_naive, layer_norm_forward_vector, "layer");
RUNGS(layer_norm_gradient, layer_norm_backward_naive, layer_norm_backward_vector, "layer");

#define FORWARD_ERROR  "|error of y| <= 2^-19 (1 + gamma / deviation) (1 + 1 / deviation)"
#define GRADIENT_ERROR "|error of dx| <= 2^-18 (1 + 1 / deviation) / deviation"

/* clang-format off */
#define NORM(title, text, error, creator, refresher, caller)                                                           \
    const Ladder title##_ladder = {                                                                                    \
        .operation = {.name = #title, .formula = text, .dimensions = "RxC", .dimension_count = 2, .tolerance = error,  \
                      .lecture = "lectures/03-convolution.md", .create = creator, .refresh = refresher,                \
                      .reference = title##_reference, .call = caller, .destroy = ladder_arrays_destroy,                      \
                      .outputs = title##_outputs, .flops = title##_flops, .bytes = title##_bytes, .streams = true},    \
        .rungs = title##_rungs, .count = 2}
/* clang-format on */

NORM(batch_norm, "y[R][C] = gamma (x - mean) / deviation + beta, by channel; x counted twice", FORWARD_ERROR,
     create_forward, ladder_arrays_refresh, call_batch);
NORM(batch_norm_infer, "y[R][C] = gamma (x - running mean) / running deviation + beta, by channel", FORWARD_ERROR,
     create_forward, ladder_arrays_refresh, call_infer);
NORM(batch_norm_gradient, "dx[R][C], dgamma, dbeta of batch normalisation; x and dy counted twice", GRADIENT_ERROR,
     create_batch_gradient, batch_norm_gradient_refresh, call_gradient);
NORM(layer_norm, "y[R][C] = gamma (x - mean) / deviation + beta, by row", FORWARD_ERROR, create_forward,
     ladder_arrays_refresh, call_layer);
NORM(layer_norm_gradient, "dx[R][C], dgamma, dbeta of layer normalisation", GRADIENT_ERROR, create_layer_gradient,
     layer_norm_gradient_refresh, call_gradient);
