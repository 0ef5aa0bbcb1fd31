/* The problem of a product of narrow numbers (cpu/gemm_bf16, cpu/gemm_int8): that of gemm's ladder, in numbers that the narrow
 * ones hold exactly, and beside the floats A and B of narrow ones.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_LADDER_NARROW_H
#define CPU_GEMM_LADDER_NARROW_H

#include "cpu/gemm/ladder_parts.h"

typedef struct GemmNarrow {
    GemmProblem *floats;
    void *A, *B; /* stored as those of the floats are */
    size_t a_count, b_count;
    void (*convert)(struct GemmNarrow *narrow); /* fills A and B from the floats */
} GemmNarrow;

/* Elements of `bytes` bytes; multiples of `step` before they are converted (see GemmProblem). */
GemmNarrow *gemm_narrow_create(const int *size, uint64_t seed, float step, size_t bytes,
                               void (*convert)(GemmNarrow *narrow), Error *error);
void gemm_narrow_refresh(void *narrow, uint64_t round);
void gemm_narrow_destroy(void *narrow);

#endif
