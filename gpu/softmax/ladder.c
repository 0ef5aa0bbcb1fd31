/* softmax on the GPU: the operation, which unlike the CPU's has no loss, and the table of rungs. Memory carries z once and p
 * once, if a rung can do so.
 * SPDX-License-Identifier: MIT */
#include "cpu/ladder_arrays.h"
#include "gpu/ladders.h"
#include "gpu/operands.h"
#include "gpu/softmax/softmax.h"
#include <math.h>

enum { Z, P };

static void *
create(const int *size, uint64_t seed, Error *error)
{
    const LadderArrays description = {
        .size = {size[0], size[1]}, .seed = seed, .array = {{ladder_arrays_count(2, size), -10, 10, NULL}}};
    return ladder_arrays_create(&description, error);
}

static void
reference(const void *inputs, double *want, double *tolerance)
{
    const LadderArrays *in = inputs;
    const size_t R = (size_t)in->size[0], C = (size_t)in->size[1];
    const float *z = in->array[0].x;
    for (size_t r = 0; r < R; r++, z += C, want += C, tolerance += C) {
        double sum = 0;
        for (size_t c = 0; c < C; c++)
            sum += want[c] = exp((double)z[c]); /* |z| is at most 10 here: nothing overflows */
        for (size_t c = 0; c < C; c++) {
            want[c] /= sum;
            tolerance[c] = (4e-6 + 3e-9 * (double)C) * want[c];
        }
    }
}

static size_t
outputs(const int *size)
{
    return (size_t)size[0] * (size_t)size[1];
}

/* A difference, an exponential (16), an addition to the sum, a division. */
static double
flops(const int *size)
{
    return 19.0 * (double)outputs(size);
}

static double
bytes(const int *size)
{
    return 2.0 * sizeof(float) * (double)outputs(size);
}

static void
prepare(const void *inputs)
{
    const LadderArrays *in = inputs;
    operand_copy(Z, in->array[0].x, in->array[0].n * sizeof(float));
    operand_poison(P, in->array[0].n * sizeof(float));
}

static void
call(LadderFunction *function, const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    (void)output;
    ((GpuSoftmax *)function)(in->size[0], in->size[1], operand(Z), operand(P));
    operands_wait();
}

static void
fetch(const void *inputs, void *output)
{
    operand_fetch(P, output, ((const LadderArrays *)inputs)->array[0].n * sizeof(float));
}

static bool
fits_registers(const int *size, Error *reason)
{
    return size[1] <= SOFTMAX_REGISTERS ||
           error_set(reason, "keeps a row in registers: at most %d classes", SOFTMAX_REGISTERS);
}

static const Operation operation = {
    .name = "softmax",
    .formula = "p[R][C] = e^z / sum of e^z over the row",
    .dimensions = "RxC",
    .dimension_count = 2,
    .tolerance = "|error| <= (4e-6 + 3e-9 C) p",
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
    {GPU_RUNG(softmax, "01", naive, "a thread a row")},
    {GPU_RUNG(softmax, "02", block, "a block a row: trees in shared memory")},
    {GPU_RUNG(softmax, "03", warp, "a warp a row: shuffles")},
    {GPU_RUNG(softmax, "04", online, "maximum and sum in one pass")},
    {GPU_RUNG(softmax, "05", registers, "the row stays in registers"), .accepts = fits_registers},
};

const GpuLadder gpu_softmax_ladder = {
    .operation = &operation,
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
    .sizes = "1024x10,65536x128,32768x1024,4096x32768",
    .emulator_sizes = "64x512,37x1001",
    .prepare = prepare,
    .call = call,
    .fetch = fetch,
};
