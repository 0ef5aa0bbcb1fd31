/* See ladder_low_precision.h. SPDX-License-Identifier: MIT */
#include "cpu/gemm/ladder_low_precision.h"
#include "core/array.h"

void
gemm_low_precision_destroy(void *problem)
{
    GemmLowPrecision *in = problem;
    if (in->floats != NULL)
        gemm_problem_destroy(in->floats);
    array_free(in->A);
    array_free(in->B);
    array_free(in);
}

GemmLowPrecision *
gemm_low_precision_create(const int *size, uint64_t seed, float step, size_t bytes,
                          void (*convert)(GemmLowPrecision *problem), Error *error)
{
    GemmLowPrecision *in = ARRAY(GemmLowPrecision, 1);
    in->convert = convert;
    in->floats = gemm_problem_create_in_steps(size, seed, step, error);
    if (in->floats != NULL) {
        const GemmOperands *o = &in->floats->operands;
        in->a_count = (size_t)o->M * (size_t)o->K;
        in->b_count = (size_t)o->K * (size_t)o->N;
        in->A = array_try_create(in->a_count, bytes, error);
    }
    if (in->A != NULL)
        in->B = array_try_create(in->b_count, bytes, error);
    if (in->B == NULL) {
        gemm_low_precision_destroy(in);
        return NULL;
    }
    convert(in);
    return in;
}

void
gemm_low_precision_refresh(void *problem, uint64_t round)
{
    GemmLowPrecision *in = problem;
    gemm_problem_refresh(in->floats, round);
    in->convert(in);
}

size_t
gemm_low_precision_outputs(const int *size)
{
    return (size_t)size[GEMM_M] * (size_t)size[GEMM_N];
}

double
gemm_low_precision_flops(const int *size)
{
    return 2.0 * size[GEMM_M] * size[GEMM_N] * size[GEMM_K];
}

double
gemm_low_precision_predict(double (*model)(const int *size, int threads, const Machine *machine), int group,
                           const int *size, int threads, const Machine *machine)
{
    int words[GEMM_TRANSPOSES + 1];
    for (int i = 0; i <= GEMM_TRANSPOSES; i++)
        words[i] = i == GEMM_K ? (size[i] + group - 1) / group : size[i];
    return model(words, threads, machine);
}
