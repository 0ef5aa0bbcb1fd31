/* transpose on the GPU: the operation and the table of rungs. It computes nothing; memory carries x once and y once.
 * SPDX-License-Identifier: MIT */
#include "cpu/ladder_arrays.h"
#include "gpu/ladders.h"
#include "gpu/operands.h"
#include "gpu/transpose/transpose.h"

enum { X, Y };

static void *
create(const int *size, uint64_t seed, Error *error)
{
    const LadderArrays description = {
        .size = {size[0], size[1]}, .seed = seed, .array = {{ladder_arrays_count(2, size), -1, 1, NULL}}};
    return ladder_arrays_create(&description, error);
}

static void
reference(const void *inputs, double *want, double *tolerance)
{
    const LadderArrays *in = inputs;
    const size_t R = (size_t)in->size[0], C = (size_t)in->size[1];
    for (size_t r = 0; r < R; r++) {
        for (size_t c = 0; c < C; c++) {
            want[c * R + r] = (double)in->array[0].x[r * C + c];
            tolerance[c * R + r] = 0;
        }
    }
}

static size_t
outputs(const int *size)
{
    return (size_t)size[0] * (size_t)size[1];
}

static double
flops(const int *size)
{
    (void)size;
    return 0;
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
    operand_copy(X, in->array[0].x, in->array[0].n * sizeof(float));
    operand_poison(Y, in->array[0].n * sizeof(float));
}

static void
call(LadderFunction *function, const void *inputs, void *output)
{
    const LadderArrays *in = inputs;
    (void)output;
    ((GpuTranspose *)function)(in->size[0], in->size[1], operand(X), operand(Y));
    operands_wait();
}

static void
fetch(const void *inputs, void *output)
{
    operand_fetch(Y, output, ((const LadderArrays *)inputs)->array[0].n * sizeof(float));
}

static const Operation operation = {
    .name = "transpose",
    .formula = "y[C][R] of x[R][C]: y[c][r] = x[r][c]",
    .dimensions = "RxC",
    .dimension_count = 2,
    .tolerance = "equal",
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
    {GPU_RUNG(transpose, "01", naive, "a thread for each element")},
    {GPU_RUNG(transpose, "02", shared_tile, "through a tile in shared memory")},
    {GPU_RUNG(transpose, "03", padded_tile, "a column more in the tile: no bank conflicts")},
    {GPU_RUNG(transpose, "04", swizzled, "the words of the tile change places")},
    {GPU_RUNG(transpose, "05", several_rows, "four elements a thread")},
};

const GpuLadder gpu_transpose_ladder = {
    .operation = &operation,
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
    .sizes = "1024x1024,4096x4096,16384x16384,4001x4003",
    .emulator_sizes = "256x256,250x131",
    .prepare = prepare,
    .call = call,
    .fetch = fetch,
};
