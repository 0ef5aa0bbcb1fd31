/* See ladder_narrow.h. SPDX-License-Identifier: MIT */
#include "cpu/gemm/ladder_narrow.h"
#include "core/array.h"

void
gemm_narrow_destroy(void *narrow)
{
    GemmNarrow *in = narrow;
    if (in->floats != NULL)
        gemm_problem_destroy(in->floats);
    array_free(in->A);
    array_free(in->B);
    array_free(in);
}

GemmNarrow *
gemm_narrow_create(const int *size, uint64_t seed, float step, size_t bytes, void (*convert)(GemmNarrow *narrow),
                   Error *error)
{
    GemmNarrow *in = ARRAY(GemmNarrow, 1);
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
        gemm_narrow_destroy(in);
        return NULL;
    }
    convert(in);
    return in;
}

void
gemm_narrow_refresh(void *narrow, uint64_t round)
{
    GemmNarrow *in = narrow;
    gemm_problem_refresh(in->floats, round);
    in->convert(in);
}
