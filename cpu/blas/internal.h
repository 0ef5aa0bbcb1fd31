/* What the levels of the drop-in BLAS share. Nobody else includes this.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_BLAS_INTERNAL_H
#define CPU_BLAS_INTERNAL_H

#include "cpu/blas/blas.h"
#include "cpu/gemm/gemm.h"
#include "cpu/gemv/gemv.h"
#include <stdbool.h>
#include <stddef.h>

/* kernels.c: the contracts of gemm.h and gemv.h, computed by the chosen rung. */
Gemm blas_gemm;
Gemv blas_gemv;

/* threads.c: before the first call; before and after each, which sets the number of OpenMP threads, and back to what enter
 * returned. */
void blas_threads_start(void);
int blas_threads_enter(void);
void blas_threads_leave(int threads);

/* illegal.c: reports that this parameter of a Fortran routine, counted from 1, is illegal; the name has six letters ("SGEMV "). */
void blas_illegal(const char *routine, int parameter);

/* The same for the C interface. `mirrored` is the number of the parameter that has this one's place in the column-major problem
 * with the same memory: illegal.c says when that number is reported. */
void blas_illegal_c(const char *routine, int parameter, int mirrored);

enum { BLAS_UNKNOWN = -1 };

/* transpose.c: 0 no, 1 yes (for real numbers the conjugate transpose is the transpose), BLAS_UNKNOWN for anything else. */
int blas_transpose_letter(const char *letter);
int blas_transpose_number(int number);

/* Where element 0 of a vector is stored: last, if the increment is negative. */
static inline ptrdiff_t
blas_start(int n, int increment)
{
    return increment < 0 ? (ptrdiff_t)(1 - n) * increment : 0;
}

#endif
