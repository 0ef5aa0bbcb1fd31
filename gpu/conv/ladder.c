/* conv on the GPU: the table of rungs, and how a problem is copied to device memory. What is computed, the inputs, the reference
 * and the tolerance are those of the CPU's ladder. Its inputs are known to its own `call` alone, which passes them to a rung of
 * the CPU: here to one that copies them to the device.
 * SPDX-License-Identifier: MIT */
#include "cpu/conv/conv.h"
#include "cpu/ladders.h"
#include "gpu/conv/conv.h"
#include "gpu/ladders.h"
#include "gpu/operands.h"

enum { X, W, WORKSPACE, Y };

/* Of the problem that was prepared last. */
static ConvShape shape;

static size_t
output_bytes(void)
{
    return gpu_conv_pixels(&shape) * (size_t)shape.out_channels * sizeof(float);
}

static void
copy_operands(const ConvShape *s, const float *x, const float *w, const Epilogue *epilogue, float *y)
{
    (void)epilogue;
    (void)y;
    shape = *s;
    const size_t image = (size_t)s->height * (size_t)s->width * (size_t)s->channels;
    operand_copy(X, x, (size_t)s->batch * image * sizeof(float));
    operand_copy(W, w, (size_t)gpu_conv_patch(&shape) * (size_t)s->out_channels * sizeof(float));
    operand_poison(WORKSPACE, gpu_conv_workspace(&shape) * sizeof(float));
    operand_poison(Y, output_bytes());
}

static void
prepare(const void *inputs)
{
    conv_ladder.operation.call((LadderFunction *)copy_operands, inputs, NULL);
}

static void
call(LadderFunction *function, const void *inputs, void *output)
{
    (void)inputs;
    (void)output;
    ((GpuConv *)function)(&shape, operand(X), operand(W), operand(WORKSPACE), NULL, operand(Y));
    operands_wait();
}

static void
fetch(const void *inputs, void *output)
{
    (void)inputs;
    operand_fetch(Y, output, output_bytes());
}

static const Rung rungs[] = {
    {GPU_RUNG(conv, "01", direct, "a thread for each output")},
    {GPU_RUNG(conv, "02", im2col, "patches written out, times w by gemm")},
    {GPU_RUNG(conv, "03", implicit, "patches gathered into shared memory")},
};

const GpuLadder gpu_conv_ladder = {
    .operation = &conv_ladder.operation,
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
    /* Layers of ResNet-50. */
    .sizes = "32x56x56x64x64x3x1x1,32x56x56x128x128x3x2x1,32x14x14x256x1024x1x1x0,32x7x7x512x512x3x1x1,"
             "32x224x224x3x64x7x2x3",
    .compare_sizes =
        "1x14x14x64x64x3x1x1,1x28x28x64x64x3x1x1,1x56x56x64x64x3x1x1,8x56x56x64x64x3x1x1,32x56x56x64x64x3x1x1",
    .emulator_sizes = "1x14x14x16x32x3x1x1,1x28x28x1x6x5x1x2",
    .prepare = prepare,
    .call = call,
    .fetch = fetch,
};
