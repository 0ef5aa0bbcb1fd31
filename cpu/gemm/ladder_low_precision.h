/* The problem of a product of low-precision numbers (cpu/gemm_bf16, cpu/gemm_int8): that of gemm's ladder, in numbers that these
 * hold exactly, and beside the floats A and B of low precision.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_LADDER_LOW_PRECISION_H
#define CPU_GEMM_LADDER_LOW_PRECISION_H

#include "cpu/gemm/ladder_internal.h"

typedef struct GemmLowPrecision {
    GemmProblem *floats;
    void *A, *B; /* stored as those of the floats are */
    size_t a_count, b_count;
    void (*convert)(struct GemmLowPrecision *problem); /* fills A and B from the floats */
} GemmLowPrecision;

/* Elements of `bytes` bytes; multiples of `step` before they are converted (see GemmProblem). */
GemmLowPrecision *gemm_low_precision_create(const int *size, uint64_t seed, float step, size_t bytes,
                                            void (*convert)(GemmLowPrecision *problem), Error *error);
void gemm_low_precision_refresh(void *problem, uint64_t round);
void gemm_low_precision_destroy(void *problem);

/* Functions of the Operation that are those of gemm. */
size_t gemm_low_precision_outputs(const int *size);
double gemm_low_precision_flops(const int *size);

/* gemm's model of a rung for a product of words of `group` elements. */
double gemm_low_precision_predict(double (*model)(const int *size, int threads, const Machine *machine), int group,
                                  const int *size, int threads, const Machine *machine);

#endif
