/* gemm_int8: the table of rungs, and what the driver needs to know of the operation. The inputs and the reference are those of
 * gemm's ladder, of which 64 times is a whole number. The lowest row is gemm itself, on the same numbers as floats: what a
 * quarter of the bits must be held against.
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm/ladder_low_precision.h"
#include "cpu/gemm_int8/gemm_int8.h"
#include "cpu/gemm_int8/peers.h"
#include "cpu/ladders.h"
#include "cpu/onednn.h"
#include <math.h>

/* a = ZERO_A + 64 x, b = ZERO_B + 64 y, where x and y are the floats. */
enum { SCALE = 64, ZERO_A = 121, ZERO_B = -5 };

/* oneDNN saturates sums of two products at 16 bits where there is no VNNI (onednn.c): these inputs never get there. */
_Static_assert(2 * (ZERO_A + SCALE) * (SCALE - ZERO_B) <= INT16_MAX, "the peer is right without VNNI, too");

/* Where the build has instructions for them (quads.h). */
#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
#define TIMES_PEAK 4
#else
#define TIMES_PEAK 1
#endif

static void
convert(GemmLowPrecision *in)
{
    uint8_t *A = in->A;
    int8_t *B = in->B;
    for (size_t i = 0; i < in->a_count; i++)
        A[i] = (uint8_t)(int)(ZERO_A + SCALE * in->floats->A[i]);
    for (size_t i = 0; i < in->b_count; i++)
        B[i] = (int8_t)(int)(ZERO_B + SCALE * in->floats->B[i]);
}

static void *
create(const int *size, uint64_t seed, Error *error)
{
    const int longest = gemm_int8_longest(ZERO_A, ZERO_B);
    if (size[GEMM_K] <= longest)
        return gemm_low_precision_create(size, seed, 1.0f / SCALE, 1, convert, error);
    error_set(error, "gemm_int8: K is %d, but sums of more than %d products may leave 32 bits", size[GEMM_K], longest);
    return NULL;
}

static void
reference(const void *inputs, double *want, double *tolerance)
{
    const GemmLowPrecision *in = inputs;
    const size_t count = (size_t)in->floats->operands.M * (size_t)in->floats->operands.N;
    gemm_problem_reference(in->floats, want, tolerance);
    for (size_t i = 0; i < count; i++) {
        want[i] *= SCALE * SCALE;
        tolerance[i] = 0.0;
    }
}

/* Floats give C / SCALE^2, and alpha makes C of it: powers of two round nothing, and sums of numbers of either sign stay far
 * within the 24 bits that a float holds. */
static void
call(LadderFunction *function, const void *inputs, void *output)
{
    const GemmLowPrecision *in = inputs;
    const GemmProblem *f = in->floats;
    const GemmOperands *o = &f->operands;
    const int ldc = o->N > 0 ? o->N : 1;
    if (function == (LadderFunction *)gemm_expert)
        gemm_expert(f->transpose_a, f->transpose_b, o->M, o->N, o->K, (float)(SCALE * SCALE), f->A, f->lda, f->B,
                    f->ldb, 0.0f, output, ldc);
    else
        ((GemmInt8 *)function)(f->transpose_a, f->transpose_b, o->M, o->N, o->K, in->A, f->lda, ZERO_A, in->B, f->ldb,
                               ZERO_B, output, ldc);
}

static double
bytes(const int *size)
{
    const double M = size[GEMM_M], N = size[GEMM_N], K = size[GEMM_K];
    return M * K + K * N + sizeof(int32_t) * M * N;
}

/* Words take a quarter of the k of floats: the models of gemm hold where there is an instruction for words. The
 * naive rung waits for cache lines, as that of gemm does; where A and B both are stored along k it does not, and is faster than
 * predicted. */
static double
predict_quads(const int *size, int threads, const Machine *machine)
{
    return TIMES_PEAK == 1 ? NAN : gemm_low_precision_predict(gemm_predict_vector, 4, size, threads, machine);
}

static double
predict_expert(const int *size, int threads, const Machine *machine)
{
    return TIMES_PEAK == 1 ? NAN : gemm_low_precision_predict(gemm_predict_expert, 4, size, threads, machine);
}

#define OURS(which, number, what, model)                                                                               \
    {                                                                                                                  \
        .name = #which, .idea = what, .file = "cpu/gemm_int8/" number "_" #which ".c",                                 \
        .function = (LadderFunction *)gemm_int8_##which, .predict = model,                                             \
    }

static const Rung rungs[] = {
    {.name = "float",
     .idea = "gemm's expert on the same numbers as floats",
     .file = "cpu/gemm/12_expert.c",
     .function = (LadderFunction *)gemm_expert,
     .floats = true,
     .predict = gemm_predict_expert},
    OURS(naive, "01", "three loops", gemm_predict_naive),
    OURS(widened, "02", "widened to 32 bits while packing", NULL),
    OURS(quads, "03", "a multiply-add takes four k at once", predict_quads),
    OURS(expert, "04", "threads, exact edges, packing on vectors", predict_expert),
    {.name = "onednn",
     .idea = "dnnl_gemm_u8s8s32",
     .file = "cpu/gemm_int8/onednn.c",
     .function = (LadderFunction *)gemm_int8_onednn,
     .peer = true,
     .accepts = gemm_int8_onednn_accepts,
     .describe = gemm_int8_onednn_describe,
     .use_threads = onednn_use_threads},
};

static const char *const transposes[] = {"nn", "nt", "tn", "tt", NULL};

const Ladder gemm_int8_ladder = {
    .operation = {.name = "gemm_int8",
                  .formula = "C[M][N] = (A[M][K] - zero_a)(B[K][N] - zero_b), A and B of 8 bits, C of 32",
                  .dimensions = "MxNxK",
                  .dimension_count = 3,
                  .variants = transposes,
                  .output = OUTPUT_INT32,
                  .tolerance = "equal; the row of floats, too",
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
