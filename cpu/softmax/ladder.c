/* softmax and its loss: the ladder. In networks a row fits the cache, so z is read from memory once and p written once.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "cpu/ladder_arrays.h"
#include "cpu/ladders.h"
#include "cpu/softmax/softmax.h"
#include <math.h>

/* Labels come from the second stream: a fraction of the classes. */
static int
label_of(const LadderArrays *in, size_t r)
{
    return (int)(in->array[1].x[r] * (float)in->size[1]) % in->size[1];
}

/* The same as the int that the kernels read, behind the fractions: stream 2 is used as an array of int32. */
static void
refresh(void *inputs, uint64_t round)
{
    LadderArrays *in = inputs;
    ladder_arrays_refresh(in, round);
    for (size_t r = 0; r < (size_t)in->size[0]; r++)
        ((int *)(void *)in->array[2].x)[r] = label_of(in, r);
}

static void *
create(const int *size, uint64_t seed, Error *error)
{
    if (size[1] < 1) {
        error_set(error, "softmax of rows of %d classes: a row has at least 1", size[1]);
        return NULL;
    }
    const size_t rows = (size_t)size[0];
    const LadderArrays description = {
        {size[0], size[1]}, seed, {{ladder_arrays_count(2, size), -10, 10}, {rows, 0, 1}, {rows, 0, 1}}};
    LadderArrays *in = ladder_arrays_create(&description, error);
    if (in != NULL)
        refresh(in, 0);
    return in;
}

/* p, and behind it the loss. */
static void
call(LadderFunction *function, const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    float *p = output;
    p[in->array[0].n] = (float)((SoftmaxLoss *)function)(in->size[0], in->size[1], in->array[0].x,
                                                         (const int *)(const void *)in->array[2].x, p);
}

static double
reference_row(size_t C, const float *z, int label, double *want, double *tolerance)
{
    double sum = 0;
    for (size_t c = 0; c < C; c++)
        sum += want[c] = exp((double)z[c]); /* |z| is at most 10 here: nothing overflows */
    for (size_t c = 0; c < C; c++) {
        want[c] /= sum;
        tolerance[c] = 4e-6 * want[c];
    }
    return log(sum) - (double)z[label];
}

static void
reference(const void *inputs, double *want, double *tolerance)
{
    const LadderArrays *in = inputs;
    const size_t C = (size_t)in->size[1];
    double loss = 0;
    for (size_t r = 0; r < (size_t)in->size[0]; r++)
        loss += reference_row(C, in->array[0].x + r * C, label_of(in, r), want + r * C, tolerance + r * C);
    want[in->array[0].n] = loss;
    tolerance[in->array[0].n] = 4e-6 * loss;
}

static size_t
outputs(const int *size)
{
    return (size_t)size[0] * (size_t)size[1] + 1;
}

/* A difference, an exponential (16), an addition to the sum, a multiplication. */
static double
flops(const int *size)
{
    return 19.0 * size[0] * size[1];
}

static double
bytes(const int *size)
{
    return 8.0 * size[0] * size[1];
}

static const Rung rungs[] = {
    {.name = "naive",
     .idea = "the formula: overflows from z = 89 on",
     .file = "cpu/softmax/01_naive.c",
     .function = (LadderFunction *)softmax_loss_naive},
    {.name = "stable",
     .idea = "relative to the row's maximum",
     .file = "cpu/softmax/02_stable.c",
     .function = (LadderFunction *)softmax_loss_stable},
    {.name = "online",
     .idea = "maximum and sum in one pass",
     .file = "cpu/softmax/03_online.c",
     .function = (LadderFunction *)softmax_loss_online},
    {.name = "vector",
     .idea = "polynomials in vectors, threads",
     .file = "cpu/softmax/04_vector.c",
     .function = (LadderFunction *)softmax_loss_vector},
};

const Ladder softmax_ladder = {
    .operation = {.name = "softmax",
                  .formula = "p[R][C] = e^z / sum of e^z over the row, and the sum of -log p[label]",
                  .dimensions = "RxC",
                  .dimension_count = 2,
                  .tolerance = "|error| <= 4e-6 p",
                  .lecture = "lectures/02-backpropagation.md",
                  .create = create,
                  .refresh = refresh,
                  .reference = reference,
                  .call = call,
                  .destroy = ladder_arrays_destroy,
                  .outputs = outputs,
                  .flops = flops,
                  .bytes = bytes,
                  .streams = true},
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
