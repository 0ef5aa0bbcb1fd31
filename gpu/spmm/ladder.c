/* spmm on the GPU: the table of rungs, and how a problem is copied to device memory. What is computed, the inputs, the reference
 * and the tolerance are those of the CPU's ladder. Its inputs are known to its own `call` alone, which passes them to a rung of
 * the CPU: here to one that copies them to the device.
 * SPDX-License-Identifier: MIT */
#include "cpu/ladders.h"
#include "cpu/spmm/spmm.h"
#include "gpu/ladders.h"
#include "gpu/operands.h"
#include "gpu/spmm/spmm.h"

enum { OFFSET, COLUMN, VALUE, B, C };

/* Of the problem that was prepared last. */
static int M, N;
static size_t nonzeros;

static void
copy_operands(const Csr *A, int columns, float alpha, const float *b, int ldb, float beta, float *c, int ldc)
{
    (void)alpha, (void)beta, (void)c, (void)ldb, (void)ldc;
    M = A->rows;
    N = columns;
    nonzeros = A->nonzeros;
    operand_copy(OFFSET, A->offset, ((size_t)M + 1) * sizeof(size_t));
    operand_copy(COLUMN, A->column, nonzeros * sizeof(int));
    operand_copy(VALUE, A->value, nonzeros * sizeof(float));
    operand_copy(B, b, (size_t)A->columns * (size_t)N * sizeof(float));
    operand_poison(C, (size_t)M * (size_t)N * sizeof(float));
}

static void
prepare(const void *inputs)
{
    spmm_ladder.operation.call((LadderFunction *)copy_operands, inputs, NULL);
}

static void
call(LadderFunction *function, const void *inputs, void *output)
{
    (void)inputs;
    (void)output;
    ((GpuSpmm *)function)(M, N, nonzeros, operand(OFFSET), operand(COLUMN), operand(VALUE), 1.0f, operand(B), N, 0.0f,
                          operand(C), N);
    operands_wait();
}

static void
fetch(const void *inputs, void *output)
{
    (void)inputs;
    operand_fetch(C, output, (size_t)M * (size_t)N * sizeof(float));
}

static const Rung rungs[] = {
    {GPU_RUNG(spmm, "01", thread_a_row, "a thread for each row")},
    {GPU_RUNG(spmm, "02", warp_a_row, "a warp for each row, lanes along C")},
    {GPU_RUNG(spmm, "03", balanced, "a warp for each 128 entries")},
};

const GpuLadder gpu_spmm_ladder = {
    .operation = &spmm_ladder.operation,
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
    .sizes = "1024x1024x1024x10,1024x1024x1024x100,4096x4096x4096x1,4096x4096x4096x10,4096x4096x4096x50",
    .compare_sizes = "64x64x64x10,256x256x256x10,1024x1024x1024x10,4096x4096x4096x10",
    .emulator_sizes = "128x64x128x50,97x33x300x10",
    .prepare = prepare,
    .call = call,
    .fetch = fetch,
};
