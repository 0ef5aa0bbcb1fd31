/* softmax on the GPU: the table of rungs. What is computed, the inputs, the reference and the tolerance are those of the CPU's
 * ladder.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "cpu/ladder_arrays.h"
#include "cpu/ladders.h"
#include "gpu/ladders.h"
#include "gpu/operands.h"
#include "gpu/softmax/softmax.h"

/* The CPU's arrays: z, fractions, and the labels that come of them. */
enum { Z, FRACTIONS, LABELS, P, LOSSES };

static size_t
workspace(const int *size)
{
    return (size_t)size[0];
}

static void
call(LadderFunction *function, const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    (void)output;
    ((GpuSoftmax *)function)(in->size[0], in->size[1], operand(Z), operand(LABELS), operand(P), operand(LOSSES));
    operands_wait();
}

/* p, and behind it the sum of the rows' losses. */
static void
fetch(const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    const size_t rows = (size_t)in->size[0], n = in->array[Z].n;
    float *losses = ARRAY(float, rows), *p = output;
    double sum = 0;
    operand_fetch(P, p, n * sizeof(float));
    operand_fetch(LOSSES, losses, rows * sizeof(float));
    for (size_t r = 0; r < rows; r++)
        sum += (double)losses[r];
    p[n] = (float)sum;
    array_free(losses);
}

static bool
fits_registers(const int *size, Error *reason)
{
    return size[1] <= SOFTMAX_REGISTERS ||
           error_set(reason, "keeps a row in registers: at most %d classes", SOFTMAX_REGISTERS);
}

/* Sums are float here: the longer the row the more is lost. */
static double
tolerance_factor(const int *size)
{
    return 1 + 7.5e-4 * size[1];
}

static const Rung rungs[] = {
    {GPU_RUNG(softmax, "01", naive, "a thread a row"), .tolerance_factor = tolerance_factor},
    {GPU_RUNG(softmax, "02", block, "a block a row: trees in shared memory"), .tolerance_factor = tolerance_factor},
    {GPU_RUNG(softmax, "03", warp, "a warp a row: shuffles"), .tolerance_factor = tolerance_factor},
    {GPU_RUNG(softmax, "04", online, "maximum and sum in one pass"), .tolerance_factor = tolerance_factor},
    {GPU_RUNG(softmax, "05", registers, "the row stays in registers"), .tolerance_factor = tolerance_factor,
     .accepts = fits_registers},
};

const GpuLadder gpu_softmax_ladder = {
    .operation = &softmax_ladder.operation,
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
    .sizes = "1024x10,65536x128,32768x1024,4096x32768",
    .emulator_sizes = "64x512,37x1001",
    .workspace = workspace,
    .call = call,
    .fetch = fetch,
};
