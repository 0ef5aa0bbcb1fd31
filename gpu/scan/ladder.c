/* scan on the GPU: the operation and the table of rungs. Memory carries x once and y once, if a rung can do so.
 * SPDX-License-Identifier: MIT */
#include "cpu/ladder_arrays.h"
#include "gpu/ladders.h"
#include "gpu/operands.h"
#include "gpu/scan/scan.h"
#include <math.h>

enum { X, Y, WORK };

static void *
create(const int *size, uint64_t seed, Error *error)
{
    const LadderArrays description = {.size = {size[0]}, .seed = seed, .array = {{(size_t)size[0], 0.5, 1.5, NULL}}};
    return ladder_arrays_create(&description, error);
}

/* A float goes through up to 20 additions in its piece of 1024, and through one for each piece that follows. */
static void
reference(const void *inputs, double *want, double *tolerance)
{
    const LadderArrays *in = inputs;
    double sum = 0;
    for (size_t i = 0; i < in->array[0].n; i++) {
        const double additions = 24 + (double)(i / 1024);
        want[i] = sum += (double)in->array[0].x[i];
        tolerance[i] = ldexp(fmin(additions, 12 * sqrt(additions)), -24) * sum;
    }
}

static size_t
outputs(const int *size)
{
    return (size_t)size[0];
}

static double
flops(const int *size)
{
    return size[0];
}

static double
bytes(const int *size)
{
    return 2.0 * sizeof(float) * size[0];
}

static void
prepare(const void *inputs)
{
    const LadderArrays *in = inputs;
    operand_copy(X, in->array[0].x, in->array[0].n * sizeof(float));
    operand_poison(Y, in->array[0].n * sizeof(float));
    operand_poison(WORK, scan_work(in->array[0].n) * sizeof(float));
}

static void
call(LadderFunction *function, const void *inputs, void *output)
{
    (void)output;
    ((GpuScan *)function)(((const LadderArrays *)inputs)->array[0].n, operand(X), operand(Y), operand(WORK));
    operands_wait();
}

static void
fetch(const void *inputs, void *output)
{
    operand_fetch(Y, output, ((const LadderArrays *)inputs)->array[0].n * sizeof(float));
}

static const Operation operation = {
    .name = "scan",
    .formula = "y[i] = x[0] + .. + x[i], i < n",
    .dimensions = "n",
    .dimension_count = 1,
    .tolerance = "|error| <= 2^-24 min(a, 12 sqrt(a)) y, a = 24 + i / 1024",
    .lecture = "lectures/05-gemm-gpu.md",
    .create = create,
    .refresh = ladder_arrays_refresh,
    .reference = reference,
    .destroy = ladder_arrays_destroy,
    .outputs = outputs,
    .flops = flops,
    .bytes = bytes,
    .streams = true,
};

static const Rung rungs[] = {
    {GPU_RUNG(scan, "01", hillis_steele, "one block; 10 steps for 1024 elements")},
    {GPU_RUNG(scan, "02", blelloch, "one block; a tree up and down")},
    {GPU_RUNG(scan, "03", shuffle, "one block; warps from register to register")},
    {GPU_RUNG(scan, "04", three_launches, "all blocks; their sums; add those")},
    {GPU_RUNG(scan, "05", sums_first, "sum pieces, scan the sums, scan pieces")},
};

const GpuLadder gpu_scan_ladder = {
    .operation = &operation,
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
    .sizes = "65536,1048576,16777216,134217728",
    .emulator_sizes = "16384,10007",
    .prepare = prepare,
    .call = call,
    .fetch = fetch,
};
