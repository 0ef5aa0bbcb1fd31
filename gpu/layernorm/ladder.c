/* layer normalisation on the GPU: the table of rungs. What is computed, the inputs, the reference and the tolerance are those of
 * the CPU's ladder.
 * SPDX-License-Identifier: MIT */
#include "cpu/ladders.h"
#include "cpu/norm/ladder_internal.h"
#include "gpu/ladders.h"
#include "gpu/layernorm/layernorm.h"
#include "gpu/operands.h"

/* The CPU's arrays, of which inference alone uses the last two. OUT: y, means, inverses, one behind the other. */
enum { X, GAMMA, BETA, RUNNING_MEAN, RUNNING_VARIANCE, OUT };

static void
call(LadderFunction *function, const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    float *y = operand(OUT), *mean = y + in->array[0].n;
    (void)output;
    ((GpuLayerNorm *)function)(in->size[0], in->size[1], operand(X), operand(GAMMA), operand(BETA), (float)NORM_EPSILON,
                               y, mean, mean + (size_t)in->size[0]);
    operands_wait();
}

static bool
fits_registers(const int *size, Error *reason)
{
    return size[1] <= LAYER_NORM_REGISTERS ||
           error_set(reason, "keeps a row in registers: at most %d channels", LAYER_NORM_REGISTERS);
}

/* The CPU's rungs keep long sums in double; here they are float, and the longer the row the more is lost. */
static double
tolerance_factor(const int *size)
{
    return 1 + size[1] / 256.0;
}

static const Rung rungs[] = {
    {GPU_RUNG(layernorm, "01", naive, "a thread a row"), .tolerance_factor = tolerance_factor},
    {GPU_RUNG(layernorm, "02", block, "a block a row"), .tolerance_factor = tolerance_factor},
    {GPU_RUNG(layernorm, "03", warp, "a warp a row: shuffles"), .tolerance_factor = tolerance_factor},
    {GPU_RUNG(layernorm, "04", welford, "mean and variance in one pass"), .tolerance_factor = tolerance_factor},
    {GPU_RUNG(layernorm, "05", registers, "the row stays in registers"), .tolerance_factor = tolerance_factor,
     .accepts = fits_registers},
};

const GpuLadder gpu_layer_norm_ladder = {
    .operation = &layer_norm_ladder.operation,
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
    .sizes = "1024x64,65536x256,32768x1024,8192x4096",
    .emulator_sizes = "64x512,37x1001",
    .call = call,
};
