/* spmm: the table of rungs, and what the driver needs to know of the operation. The peer is the dense product of the same
 * numbers, zeros included: at which density does leaving them out pay?
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "cpu/gemm/choose.h"
#include "cpu/ladders.h"
#include "cpu/spmm/models.h"
#include "cpu/spmm/spmm.h"
#include <float.h>
#include <math.h>
#include <stdio.h>

typedef struct Inputs {
    int M, N, K;
    uint64_t seed;
    Csr *A;
    float *dense; /* [M][K]: the same matrix */
    float *B;     /* [K][N] */
    double *sums; /* [3][N]: of the reference */
} Inputs;

/* Random streams of the seed; csr_random uses 0 and 1. */
enum { STREAM_B = 2, STREAM_CHANGE = 3 };

/* ---- the operation ------------------------------------------------------------------------------------------------------ */

static void
destroy(void *inputs)
{
    Inputs *in = inputs;
    csr_free(in->A);
    array_free(in->dense);
    array_free(in->B);
    array_free(in->sums);
    array_free(in);
}

/* A new B, and one new value in each row of A: a C of before is wrong everywhere, and so is one from a copy of A made before. */
static void
refresh(void *inputs, uint64_t round)
{
    Inputs *in = inputs;
    const size_t elements = (size_t)in->K * (size_t)in->N;
    rng_fill_uniform(in->seed, STREAM_B, round * elements, in->B, elements, -1.0, 1.0);
    for (size_t i = 0; i < (size_t)in->M; i++) {
        const size_t begin = in->A->offset[i], count = in->A->offset[i + 1] - begin;
        if (count == 0)
            continue;
        const size_t p = begin + (i + round) % count;
        rng_fill_uniform(in->seed, STREAM_CHANGE, round * (size_t)in->M + i, in->A->value + p, 1, -1.0, 1.0);
        in->dense[i * (size_t)in->K + (size_t)in->A->column[p]] = in->A->value[p];
    }
}

static float *
matrix(int rows, int columns, Error *error)
{
    size_t elements = 0;
    const bool counted = size_multiply((size_t)rows, (size_t)columns, &elements);
    return array_try_create(counted ? elements : SIZE_MAX, sizeof(float), error);
}

static void *
create(const int *size, uint64_t seed, Error *error)
{
    if (size[3] > 1000) {
        error_set(error,
                  "spmm with %d entries in 1000 places: at most 1000 fit; as in 1024x1024x1024x50, a density of 5 %%",
                  size[3]);
        return NULL;
    }
    Inputs *in = ARRAY(Inputs, 1);
    *in = (Inputs){.M = size[0], .N = size[1], .K = size[2], .seed = seed};
    in->dense = matrix(in->M, in->K, error);
    in->B = in->dense != NULL ? matrix(in->K, in->N, error) : NULL;
    in->sums = in->B != NULL ? array_try_create((size_t)in->N * 3, sizeof(double), error) : NULL;
    in->A = in->sums != NULL ? csr_random(in->M, in->K, spmm_entries(size), seed, error) : NULL;
    if (in->A == NULL) {
        destroy(in);
        return NULL;
    }
    csr_to_dense(in->A, in->dense, in->K);
    refresh(in, 0);
    return in;
}

/* Rounding is bounded as in cpu/gemv/ladder.c, which says why; here a sum has as many terms as the row has entries. */
static void
reference_row(const Inputs *in, int i, double *want, double *tolerance)
{
    const size_t N = (size_t)in->N, begin = in->A->offset[i], end = in->A->offset[i + 1];
    const double terms = (double)(end - begin) + 3.0, u = FLT_EPSILON / 2.0;
    double *sum = in->sums, *magnitude = sum + N, *squares = magnitude + N;
    for (size_t n = 0; n < 3 * N; n++)
        sum[n] = 0.0;
    for (size_t p = begin; p < end; p++) {
        const float *b = in->B + (size_t)in->A->column[p] * N;
        const double a = (double)in->A->value[p];
        for (size_t n = 0; n < N; n++) {
            const double product = a * (double)b[n];
            sum[n] += product;
            magnitude[n] += fabs(product);
            squares[n] += product * product;
        }
    }
    for (size_t n = 0; n < N; n++) {
        want[n] = sum[n];
        tolerance[n] = u * fmin(terms * magnitude[n], 12.0 * sqrt(terms * squares[n]));
    }
}

static void
reference(const void *inputs, double *want, double *tolerance)
{
    const Inputs *in = inputs;
    for (int i = 0; i < in->M; i++)
        reference_row(in, i, want + (size_t)i * (size_t)in->N, tolerance + (size_t)i * (size_t)in->N);
}

/* The peer has another type than the rungs: this stands for it in the table. */
static void
dense(void)
{
}

static void
call(LadderFunction *function, const void *inputs, void *output)
{
    const Inputs *in = inputs;
    const int row_of_a = in->K > 0 ? in->K : 1, row = in->N > 0 ? in->N : 1;
    if (function == dense)
        gemm_best()->run(false, false, in->M, in->N, in->K, 1.0f, in->dense, row_of_a, in->B, row, 0.0f, output, row);
    else
        ((Spmm *)function)(in->A, in->N, 1.0f, in->B, row, 0.0f, output, row);
}

static size_t
outputs(const int *size)
{
    return (size_t)size[0] * (size_t)size[1];
}

static double
flops(const int *size)
{
    return 2.0 * (double)spmm_entries(size) * size[1];
}

static double
bytes(const int *size)
{
    return 8.0 * ((double)spmm_entries(size) + size[0] + 1.0) + 4.0 * ((double)size[0] + size[2]) * size[1];
}

static const char *
describe_dense(void)
{
    static char text[128];
    snprintf(text, sizeof text, "gemm's %s, which multiplies the zeros too; its rate here leaves them out",
             gemm_best()->name);
    return text;
}

static const Rung rungs[] = {
    {.name = "naive",
     .idea = "each element of C on its own",
     .file = "cpu/spmm/01_naive.c",
     .function = (LadderFunction *)spmm_naive,
     .predict = spmm_predict_naive},
    {.name = "reordered",
     .idea = "along the rows of B and C",
     .file = "cpu/spmm/02_reordered.c",
     .function = (LadderFunction *)spmm_reordered,
     .predict = spmm_predict_reordered},
    {.name = "vector",
     .idea = "a strip of C stays in registers",
     .file = "cpu/spmm/03_vector.c",
     .function = (LadderFunction *)spmm_vector,
     .predict = spmm_predict_vector},
    {.name = "packed",
     .idea = "a strip of B stays in cache",
     .file = "cpu/spmm/04_packed.c",
     .function = (LadderFunction *)spmm_packed,
     .predict = spmm_predict_packed},
    {.name = "openmp",
     .idea = "threads share the entries",
     .file = "cpu/spmm/05_openmp.c",
     .function = (LadderFunction *)spmm_openmp,
     .predict = spmm_predict_openmp},
    {.name = "dense",
     .idea = "gemm of the same numbers, zeros included",
     .file = "cpu/gemm/choose.c",
     .function = dense,
     .peer = true,
     .predict = spmm_predict_dense,
     .describe = describe_dense},
};

const Ladder spmm_ladder = {
    .operation =
        {.name = "spmm",
         .formula = "C[M][N] = A[M][K] B[K][N], A sparse",
         .dimensions = "MxNxKxD (D of 1000 places of A hold an entry)",
         .dimension_count = 4,
         .tolerance =
             "|error of c_in| <= 2^-24 min(t sum |p|, 12 sqrt(t sum p^2)), p = a_ik b_kn, t = entries of row i + 3",
         .lecture = "lectures/04-gemm-cpu.md",
         .create = create,
         .refresh = refresh,
         .reference = reference,
         .call = call,
         .destroy = destroy,
         .outputs = outputs,
         .flops = flops,
         .bytes = bytes},
    .rungs = rungs,
    .count = sizeof(rungs) / sizeof(rungs[0]),
};
