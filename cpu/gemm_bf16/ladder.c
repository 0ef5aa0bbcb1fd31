/* gemm_bf16: the table of rungs, and what the driver needs to know of the operation. The inputs and the reference are those of
 * gemm's ladder, with numbers that bf16 holds exactly. The lowest row is gemm itself, on the same numbers as floats: what a
 * half of the bits must be held against.
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm/ladder_low_precision.h"
#include "cpu/gemm_bf16/gemm_bf16.h"
#include "cpu/gemm_bf16/peers.h"
#include "cpu/ladders.h"
#include "cpu/onednn.h"
#include <math.h>

#define STEP 0x1p-8f /* numbers between 1/2 and 1 with 7 bits behind the first */

/* Where the build has instructions for them (pairs.h). */
#if defined(__AVX512BF16__)
#define TIMES_PEAK 2
#else
#define TIMES_PEAK 1
#endif

static void
convert(GemmLowPrecision *in)
{
    bf16_from_floats(in->A, in->floats->A, in->a_count);
    bf16_from_floats(in->B, in->floats->B, in->b_count);
}

static void *
create(const int *size, uint64_t seed, Error *error)
{
    return gemm_low_precision_create(size, seed, STEP, sizeof(Bf16), convert, error);
}

static void
reference(const void *inputs, double *want, double *tolerance)
{
    const GemmLowPrecision *in = inputs;
    gemm_problem_reference(in->floats, want, tolerance);
}

static void
call(LadderFunction *function, const void *inputs, void *output)
{
    const GemmLowPrecision *in = inputs;
    const GemmProblem *f = in->floats;
    const GemmOperands *o = &f->operands;
    if (function == (LadderFunction *)gemm_expert)
        gemm_problem_call(function, f, output);
    else
        ((GemmBf16 *)function)(f->transpose_a, f->transpose_b, o->M, o->N, o->K, 1.0f, in->A, f->lda, in->B, f->ldb,
                               0.0f, output, o->N > 0 ? o->N : 1);
}

static double
bytes(const int *size)
{
    const double M = size[GEMM_M], N = size[GEMM_N], K = size[GEMM_K];
    return sizeof(Bf16) * (M * K + K * N) + sizeof(float) * M * N;
}

/* Words take half the k of floats: the models of gemm hold where there is an instruction for words. */
static double
predict_pairs(const int *size, int threads, const Machine *machine)
{
    return TIMES_PEAK == 1 ? NAN : gemm_low_precision_predict(gemm_predict_vector, 2, size, threads, machine);
}

static double
predict_expert(const int *size, int threads, const Machine *machine)
{
    return TIMES_PEAK == 1 ? NAN : gemm_low_precision_predict(gemm_predict_expert, 2, size, threads, machine);
}

#define OURS(which, number, what, model)                                                                               \
    {                                                                                                                  \
        .name = #which, .idea = what, .file = "cpu/gemm_bf16/" number "_" #which ".c",                                 \
        .function = (LadderFunction *)gemm_bf16_##which, .predict = model,                                             \
    }

static const Rung rungs[] = {
    {.name = "float",
     .idea = "gemm's expert on the same numbers as floats",
     .file = "cpu/gemm/12_expert.c",
     .function = (LadderFunction *)gemm_expert,
     .predict = gemm_predict_expert},
    OURS(naive, "01", "three loops, each element widened when it is used", gemm_predict_naive),
    OURS(widened, "02", "widened once, while packing", gemm_predict_vector),
    OURS(pairs, "03", "a multiply-add takes two k at once", predict_pairs),
    OURS(expert, "04", "threads, exact edges, packing on vectors", predict_expert),
    {.name = "onednn",
     .idea = "the matmul primitive, prepared before",
     .file = "cpu/gemm_bf16/onednn.c",
     .function = (LadderFunction *)gemm_bf16_onednn,
     .peer = true,
     .accepts = gemm_bf16_onednn_accepts,
     .describe = gemm_bf16_onednn_describe,
     .use_threads = onednn_use_threads},
};

static const char *const transposes[] = {"nn", "nt", "tn", "tt", NULL};

const Ladder gemm_bf16_ladder = {
    .operation = {.name = "gemm_bf16",
                  .formula = "C[M][N] = A[M][K] B[K][N], A and B of bf16, C of floats",
                  .dimensions = "MxNxK",
                  .dimension_count = 3,
                  .variants = transposes,
                  .tolerance = "|error of c_ij| <= 2^-24 min(n K, 12 sqrt(n K)), n = K + 3; products are at most 1",
                  .lecture = "lectures/04-gemm-cpu.md",
                  .create = create,
                  .refresh = gemm_low_precision_refresh,
                  .reference = reference,
                  .call = call,
                  .destroy = gemm_low_precision_destroy,
                  .outputs = gemm_low_precision_outputs,
                  .flops = gemm_low_precision_flops,
                  .bytes = bytes,
                  .times_peak = TIMES_PEAK},
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
