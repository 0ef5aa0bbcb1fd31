/* gemm: the table of rungs, and what the driver needs to know of the operation. A new rung is a file, an entry of
 * `rungs`, its time and traffic in ladder_models.c, and a line in choose.c.
 * SPDX-License-Identifier: MIT */
#include "cpu/gemm/ladder_internal.h"
#include "cpu/gemm/peers.h"
#include "cpu/ladders.h"
#include "cpu/onednn.h"
#include "cpu/openblas.h"

static size_t
outputs(const int *size)
{
    return (size_t)size[GEMM_M] * (size_t)size[GEMM_N];
}

static double
flops(const int *size)
{
    return 2.0 * size[GEMM_M] * size[GEMM_N] * size[GEMM_K];
}

static double
bytes(const int *size)
{
    const double M = size[GEMM_M], N = size[GEMM_N], K = size[GEMM_K];
    return sizeof(float) * (M * K + K * N + M * N);
}

#define OURS(which, number, what)                                                                                      \
    {                                                                                                                  \
        .name = #which, .idea = what, .file = "cpu/gemm/" number "_" #which ".c",                                      \
        .function = (LadderFunction *)gemm_##which, .predict = gemm_predict_##which, .traffic = gemm_traffic_##which,  \
    }

static const Rung rungs[] = {
    OURS(naive, "01", "three loops"),
    OURS(reordered, "02", "along the rows of B and C"),
    OURS(blocked, "03", "a tile of B stays in cache"),
    OURS(register_tile, "04", "a tile of C stays in registers"),
    OURS(packed, "05", "operands copied into the order of their use"),
    OURS(vector, "06", "a micro-kernel of vectors"),
    OURS(openmp, "07", "threads share the longer side of C"),
    OURS(in_place, "08", "packed only where that pays"),
    OURS(masked, "09", "edge tiles masked, not padded"),
    OURS(prefetch, "10", "C, the next rows of A, the next panel of B"),
    OURS(tall_skinny, "11", "one row, or few columns, without tiles"),
    OURS(expert, "12", "chooses by the shape"),
    {.name = "openblas",
     .idea = "cblas_sgemm",
     .file = "cpu/gemm/openblas.c",
     .function = (LadderFunction *)gemm_openblas,
     .peer = true,
     .accepts = openblas_accepts,
     .describe = openblas_describe,
     .use_threads = openblas_use_threads},
    {.name = "blis",
     .idea = "cblas_sgemm",
     .file = "cpu/gemm/blis.c",
     .function = (LadderFunction *)gemm_blis,
     .peer = true,
     .accepts = blis_accepts,
     .describe = blis_describe,
     .use_threads = blis_use_threads},
    {.name = "onednn",
     .idea = "dnnl_sgemm",
     .file = "cpu/gemm/onednn.c",
     .function = (LadderFunction *)gemm_onednn,
     .peer = true,
     .accepts = onednn_accepts,
     .describe = onednn_describe,
     .use_threads = onednn_use_threads},
    {.name = "onednn_matmul",
     .idea = "the matmul primitive, prepared before",
     .file = "cpu/gemm/onednn.c",
     .function = (LadderFunction *)gemm_onednn_matmul,
     .peer = true,
     .accepts = onednn_accepts,
     .describe = onednn_matmul_describe,
     .use_threads = onednn_use_threads},
};

/* Which of the operands is stored transposed: the order of gemm_transposes_a and _b. */
static const char *const transposes[] = {"nn", "nt", "tn", "tt", NULL};

const Ladder gemm_ladder = {
    .operation = {.name = "gemm",
                  .formula = "C[M][N] = A[M][K] B[K][N]",
                  .dimensions = "MxNxK",
                  .dimension_count = 3,
                  .variants = transposes,
                  .tolerance = "|error of c_ij| <= 2^-24 min(n K, 12 sqrt(n K)), n = K + 3; products are at most 1",
                  .lecture = "lectures/04-gemm-cpu.md",
                  .create = gemm_problem_create,
                  .refresh = gemm_problem_refresh,
                  .reference = gemm_problem_reference,
                  .call = gemm_problem_call,
                  .destroy = gemm_problem_destroy,
                  .outputs = outputs,
                  .flops = flops,
                  .bytes = bytes},
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
