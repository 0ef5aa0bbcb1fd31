/* Matrix times vector: the ladder's contract, the same for every rung.
 *
 *     y[M] = alpha A[M][N] x[N] + beta y[M]
 *
 * A      row-major: element (i, j) is A[i * lda + j], lda >= max(1, N). What lies between the rows (j >= N) is never read.
 * M, N   any, 0 included: N = 0 leaves y = beta y.
 * beta   0 overwrites y without reading it, so that y may hold anything before, NaN included.
 * alpha  0 is not special: 0 * NaN is NaN. (BLAS says that A is not read then; the BLAS front end sees to it.)
 * y      must not overlap A or x. Arrays need no alignment.
 * Sums   are kept in float. The order of the additions is a rung's own, and depends on M, N alone: neither on the number of
 *        threads nor on where the arrays lie. So a rung gives the same bits each time.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMV_GEMV_H
#define CPU_GEMV_GEMV_H

#include "core/vector.h"
#include <stddef.h>

typedef void Gemv(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y);

/* clang-format off */
Gemv gemv_naive;    /* 01: one accumulator */
Gemv gemv_unrolled; /* 02: four scalar accumulators */
Gemv gemv_vector;   /* 03: vectors, one row at a time */
Gemv gemv_rows;     /* 04: eight rows share each load of x */
Gemv gemv_narrow;   /* 05: rows shorter than a vector */
Gemv gemv_openmp;   /* 06: threads */
Gemv gemv_openblas; /* a peer, where openblas_accepts (cpu/openblas.h) */
/* clang-format on */

/* Elements of A from which rung 6 uses threads. Below, waking them costs more than they save. */
enum { GEMV_PARALLEL_MIN = 1 << 16 };

/* How many parts rung 6 divides such a product into for `threads` threads: at least 1, and at most one for each thread. */
int gemv_openmp_parts(int M, int N, int threads);

/* y = alpha sum + beta y for a few rows, as the contract says. */
static inline void
gemv_finish(int rows, float alpha, const float *sum, float beta, float *y)
{
    if (beta == 0.0f)
        for (int r = 0; r < rows; r++)
            y[r] = alpha * sum[r];
    else
        for (int r = 0; r < rows; r++)
            y[r] = alpha * sum[r] + beta * y[r];
}

/* The same for eight rows whose sums are in one vector. */
static inline void
gemv_finish_eight(float alpha, Octet sum, float beta, float *y)
{
    Octet result = alpha * sum;
    if (beta != 0.0f)
        result += beta * octet_load(y);
    octet_store(y, result);
}

#endif
