/* activations: their ladders. They are memory-bound, so what counts is the fraction of the triad's bandwidth.
 * SPDX-License-Identifier: MIT */
#include "cpu/activation/activation.h"
#include "cpu/ladder_arrays.h"
#include "cpu/ladders.h"
#include <math.h>

/* ---- forward ---------------------------------------------------------------------------------------------------------------- */

static void *
create(const int *size, uint64_t seed, Error *error)
{
    const LadderArrays description = {{size[0]}, seed, {{(size_t)size[0], -8, 8}}};
    return ladder_arrays_create(&description, error);
}

typedef void Map(size_t n, const float *x, float *y);

static void
call(LadderFunction *function, const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    ((Map *)function)(in->array[0].n, in->array[0].x, output);
}

/* 4e-7 is what cpu/activation/activation.h promises. */
static void
reference(const LadderArrays *in, double (*f)(double), double *want, double *tolerance)
{
    for (size_t i = 0; i < in->array[0].n; i++) {
        want[i] = f((double)in->array[0].x[i]);
        tolerance[i] = 4e-7 * fabs(want[i]);
    }
}

static double
sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static void
sigmoid_reference(const void *inputs, double *want, double *tolerance)
{
    reference(inputs, sigmoid, want, tolerance);
}

static void
tanh_reference(const void *inputs, double *want, double *tolerance)
{
    reference(inputs, tanh, want, tolerance);
}

static double
rectified(double x)
{
    return x > 0 ? x : 0;
}

static void
relu_reference(const void *inputs, double *want, double *tolerance)
{
    reference(inputs, rectified, want, tolerance);
}

static size_t
outputs(const int *size)
{
    return (size_t)size[0];
}

/* At least one operation per element, in every rung. */
static double
flops(const int *size)
{
    return size[0];
}

static double
bytes(const int *size)
{
    return 8.0 * size[0];
}

/* ---- backward --------------------------------------------------------------------------------------------------------------- */

/* y is the output of ReLU: half of it is 0. For the others numbers between 0 and 1 are possible outputs, too. */
static void
refresh_gradient(void *inputs, uint64_t round)
{
    LadderArrays *in = inputs;
    ladder_arrays_refresh(in, round);
    for (size_t i = 0; i < in->array[0].n; i++)
        in->array[0].x[i] = fmaxf(in->array[0].x[i], 0);
}

static void *
create_gradient(const int *size, uint64_t seed, Error *error)
{
    const size_t n = (size_t)size[0];
    const LadderArrays description = {{size[0]}, seed, {{n, -1, 1}, {n, -1, 1}}};
    LadderArrays *in = ladder_arrays_create(&description, error);
    if (in != NULL)
        refresh_gradient(in, 0);
    return in;
}

typedef void Gradient(size_t n, const float *y, const float *dy, float *dx);

static void
call_gradient(LadderFunction *function, const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    ((Gradient *)function)(in->array[0].n, in->array[0].x, in->array[1].x, output);
}

static void
reference_gradient(const LadderArrays *in, double (*slope)(double y), double *want, double *tolerance)
{
    for (size_t i = 0; i < in->array[0].n; i++) {
        want[i] = (double)in->array[1].x[i] * slope((double)in->array[0].x[i]);
        tolerance[i] = 4e-7 * fabs((double)in->array[1].x[i]);
    }
}

static double
sigmoid_slope(double y)
{
    return y * (1 - y);
}

static void
sigmoid_gradient_reference(const void *inputs, double *want, double *tolerance)
{
    reference_gradient(inputs, sigmoid_slope, want, tolerance);
}

static double
tanh_slope(double y)
{
    return 1 - y * y;
}

static void
tanh_gradient_reference(const void *inputs, double *want, double *tolerance)
{
    reference_gradient(inputs, tanh_slope, want, tolerance);
}

static double
relu_slope(double y)
{
    return y > 0;
}

static void
relu_gradient_reference(const void *inputs, double *want, double *tolerance)
{
    reference_gradient(inputs, relu_slope, want, tolerance);
}

static double
gradient_bytes(const int *size)
{
    return 12.0 * size[0];
}

/* ---- the tables ------------------------------------------------------------------------------------------------------------- */

#define LIBM(function)                                                                                                 \
    {                                                                                                                  \
        .name = "libm", .idea = "the C library, one by one", .file = "cpu/activation/01_libm.c",                       \
        (LadderFunction *)function                                                                                     \
    }
#define POLYNOMIAL(function)                                                                                           \
    {                                                                                                                  \
        .name = "polynomial", .idea = "arithmetic in vectors, threads", .file = "cpu/activation/02_polynomial.c",      \
        (LadderFunction *)function                                                                                     \
    }
#define PLAIN(function)                                                                                                \
    {                                                                                                                  \
        .name = "loop", .idea = "one pass, threads", .file = "cpu/activation/relu_and_gradients.c",                    \
        (LadderFunction *)function                                                                                     \
    }

static const Rung sigmoid_rungs[] = {LIBM(sigmoid_libm), POLYNOMIAL(sigmoid_polynomial)};
static const Rung tanh_rungs[] = {LIBM(tanh_libm), POLYNOMIAL(tanh_polynomial)};
static const Rung relu_rungs[] = {PLAIN(relu_forward)};
static const Rung sigmoid_gradient_rungs[] = {PLAIN(sigmoid_gradient)};
static const Rung tanh_gradient_rungs[] = {PLAIN(tanh_gradient)};
static const Rung relu_gradient_rungs[] = {PLAIN(relu_gradient)};

/* clang-format off */
#define FORWARD(title, text)                                                                                           \
    const Ladder title##_ladder = {                                                                                    \
        .operation = {.name = #title, .formula = text, .dimensions = "N", .dimension_count = 1,                        \
                      .tolerance = "|error| <= 4e-7 |y|", .lecture = "lectures/02-backpropagation.md",                 \
                      .create = create, .refresh = ladder_arrays_refresh, .reference = title##_reference, .call = call,      \
                      .destroy = ladder_arrays_destroy, .outputs = outputs, .flops = flops, .bytes = bytes, .streams = true},\
        .rungs = title##_rungs, .count = sizeof(title##_rungs) / sizeof(title##_rungs[0])}

#define BACKWARD(title, text)                                                                                          \
    const Ladder title##_ladder = {                                                                                    \
        .operation = {.name = #title, .formula = text, .dimensions = "N", .dimension_count = 1,                        \
                      .tolerance = "|error| <= 4e-7 |dy|", .lecture = "lectures/02-backpropagation.md",                \
                      .create = create_gradient, .refresh = refresh_gradient, .reference = title##_reference,          \
                      .call = call_gradient, .destroy = ladder_arrays_destroy, .outputs = outputs, .flops = flops,           \
                      .bytes = gradient_bytes, .streams = true},                                                       \
        .rungs = title##_rungs, .count = sizeof(title##_rungs) / sizeof(title##_rungs[0])}
/* clang-format on */

FORWARD(sigmoid, "y[N] = 1 / (1 + e^-x)");
FORWARD(tanh, "y[N] = tanh x");
FORWARD(relu, "y[N] = max(x, 0)");
BACKWARD(sigmoid_gradient, "dx[N] = dy y (1 - y)");
BACKWARD(tanh_gradient, "dx[N] = dy (1 - y^2)");
BACKWARD(relu_gradient, "dx[N] = dy where y > 0");
