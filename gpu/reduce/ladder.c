/* reduce on the GPU: the operation and the table of rungs. Memory carries x once.
 * SPDX-License-Identifier: MIT */
#include "cpu/ladder_arrays.h"
#include "gpu/ladders.h"
#include "gpu/operands.h"
#include "gpu/reduce/reduce.h"
#include <math.h>

enum { X, SUM, WORK };

/* All near 1: what is missing is missing from the sum, and not hidden by what cancels. */
static void *
create(const int *size, uint64_t seed, Error *error)
{
    const LadderArrays description = {.size = {size[0]}, .seed = seed, .array = {{(size_t)size[0], 0.5, 1.5, NULL}}};
    return ladder_arrays_create(&description, error);
}

/* A float goes through 8 additions for each of up to four trees, and before that, on a fixed grid, n / 2^20 by its thread. */
static void
reference(const void *inputs, double *want, double *tolerance)
{
    const LadderArrays *in = inputs;
    const double additions = 32 + ldexp(in->size[0], -20);
    *want = 0;
    for (size_t i = 0; i < in->array[0].n; i++)
        *want += (double)in->array[0].x[i];
    *tolerance = ldexp(fmin(additions, 12 * sqrt(additions)), -24) * *want;
}

static size_t
outputs(const int *size)
{
    (void)size;
    return 1;
}

static double
flops(const int *size)
{
    return size[0];
}

static double
bytes(const int *size)
{
    return (double)sizeof(float) * size[0];
}

static void
prepare(const void *inputs)
{
    const LadderArrays *in = inputs;
    operand_copy(X, in->array[0].x, in->array[0].n * sizeof(float));
    operand_poison(SUM, sizeof(float));
    operand_poison(WORK, reduce_work(in->array[0].n) * sizeof(float));
}

static void
call(LadderFunction *function, const void *inputs, void *output)
{
    (void)output;
    ((GpuReduce *)function)(((const LadderArrays *)inputs)->array[0].n, operand(X), operand(SUM), operand(WORK));
    operands_wait();
}

static void
fetch(const void *inputs, void *output)
{
    (void)inputs;
    operand_fetch(SUM, output, sizeof(float));
}

static const Operation operation = {
    .name = "reduce",
    .formula = "the sum of x[n]",
    .dimensions = "n",
    .dimension_count = 1,
    .tolerance = "|error| <= 2^-24 min(a, 12 sqrt(a)) sum of |x|, a = 32 + n / 2^20",
    .lecture = "lectures/05-gemm-gpu.md",
    .create = create,
    .refresh = ladder_arrays_refresh,
    .reference = reference,
    .destroy = ladder_arrays_destroy,
    .outputs = outputs,
    .flops = flops,
    .bytes = bytes,
};

static const Rung rungs[] = {
    {GPU_RUNG(reduce, "01", interleaved, "a tree; threads that add stand apart")},
    {GPU_RUNG(reduce, "02", sequential, "threads that add stand side by side")},
    {GPU_RUNG(reduce, "03", shuffle, "warps add from register to register")},
    {GPU_RUNG(reduce, "04", vectorised, "a fixed grid walks, four floats at once")},
    {GPU_RUNG(reduce, "05", atomic, "one launch; the bits do not repeat")},
    {GPU_RUNG(reduce, "06", last_block, "one launch; the last block adds the sums")},
};

const GpuLadder gpu_reduce_ladder = {
    .operation = &operation,
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
    .sizes = "65536,1048576,16777216,268435456",
    .emulator_sizes = "65536,10007",
    .prepare = prepare,
    .call = call,
    .fetch = fetch,
};
