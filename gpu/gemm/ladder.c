/* gemm on the GPU: the table of rungs, and how a problem is copied to device memory. What is computed, the inputs, the reference
 * and the tolerance are those of the CPU's ladder. A new rung is a file, a line in gemm.h and an entry of `rungs`.
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm/ladder_internal.h"
#include "cpu/ladders.h"
#include "gpu/gemm/gemm.h"
#include "gpu/ladders.h"
#include "gpu/operands.h"
#include <math.h>

enum { A, B, C };

static void
prepare(const void *inputs)
{
    const GemmOperands *p = &((const GemmProblem *)inputs)->operands;
    const size_t M = (size_t)p->M, N = (size_t)p->N, K = (size_t)p->K;
    operand_copy(A, p->A, M * K * sizeof(float));
    operand_copy(B, p->B, K * N * sizeof(float));
    operand_poison(C, M * N * sizeof(float));
}

static void
call(LadderFunction *function, const void *inputs, void *output)
{
    const GemmOperands *p = &((const GemmProblem *)inputs)->operands;
    (void)output;
    ((GpuGemm *)function)(p->M, p->N, p->K, 1.0f, operand(A), p->K, operand(B), p->N, 0.0f, operand(C), p->N);
    operands_wait();
}

static void
fetch(const void *inputs, void *output)
{
    const GemmOperands *p = &((const GemmProblem *)inputs)->operands;
    operand_fetch(C, output, (size_t)p->M * (size_t)p->N * sizeof(float));
}

static bool
accepts(const int *size, Error *reason)
{
    return size[GEMM_TRANSPOSES] == 0 ||
           error_set(reason, "A and B cannot be stored transposed on the GPU: leave :nt, :tn or :tt away");
}

/* Tensor cores are called for devices that have these (and on the emulator, which is like one of 8.0 or more). */
static bool
accepts_tensor(const int *size, Error *reason)
{
    const GpuProperties *device = &operands_library()->properties;
    if (!device->emulated && device->major < 8)
        return error_set(reason, "its tensor cores need compute capability 8.0, this device has %d.%d", device->major,
                         device->minor);
    return accepts(size, reason);
}

/* The operation's tolerance counts roundings of 2^-24, one for each of the n = K + 3 partial sums over K products. If each of a
 * product's factors is rounded first, by at most 2^-bits, the product is off by 2 * 2^-bits at most; K such errors add up as it
 * does. */
static double
rounded_to(int bits, const int *size)
{
    const double K = size[GEMM_K], n = K + 3;
    const double sums = ldexp(fmin(n * K, 12 * sqrt(n * K)), -24), products = ldexp(fmin(K, 12 * sqrt(K)), 1 - bits);
    return 1 + products / sums;
}

static double
tolerance_factor_tf32(const int *size)
{
    return rounded_to(11, size);
}

static double
tolerance_factor_bf16(const int *size)
{
    return rounded_to(8, size);
}

static const Rung rungs[] = {
    {GPU_RUNG(gemm, "01", naive, "a thread for each element of C"), .accepts = accepts},
    {GPU_RUNG(gemm, "02", coalesced, "neighbours in the same row"), .accepts = accepts},
    {GPU_RUNG(gemm, "03", shared_tile, "tiles of A and B in shared memory"), .accepts = accepts},
    {GPU_RUNG(gemm, "04", register_tile_1d, "8 x 1 elements of C in registers"), .accepts = accepts},
    {GPU_RUNG(gemm, "05", register_tile_2d, "8 x 8 elements of C in registers"), .accepts = accepts},
    {GPU_RUNG(gemm, "06", vector_loads, "four floats with each load"), .accepts = accepts},
    {GPU_RUNG(gemm, "07", warp_tile, "16 x 8 elements, a warp's threads close together"), .accepts = accepts},
    {GPU_RUNG(gemm, "08", double_buffer, "the next tiles are copied meanwhile"), .accepts = accepts},
    {GPU_RUNG(gemm, "09", tensor_tf32, "tensor cores, A and B rounded to TF32"), .accepts = accepts_tensor,
     .tolerance_factor = tolerance_factor_tf32},
    {GPU_RUNG(gemm, "10", tensor_bf16, "tensor cores, A and B rounded to bf16"), .accepts = accepts_tensor,
     .tolerance_factor = tolerance_factor_bf16},
    {GPU_RUNG(gemm, "11", tensor_three_tf32, "tensor cores, floats emulated by three products of TF32"),
     .accepts = accepts_tensor},
};

const GpuLadder gpu_gemm_ladder = {
    .operation = &gemm_ladder.operation,
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
    .sizes = "512,1024,2048,4096,1000x1000x1000",
    .compare_sizes = "16,32,64,128,256,512,1024,2048,4096,8192",
    .emulator_sizes = "96,128",
    .prepare = prepare,
    .call = call,
    .fetch = fetch,
};
