/* Sparse times dense: the ladder's contract, the same for every rung.
 *
 *     C[M][N] = alpha A[M][K] B[K][N] + beta C[M][N]           A sparse, by rows (cpu/spmm/csr.h); M = A->rows, K = A->columns
 *
 * B, C   row-major: ldb and ldc floats from one row to the next, at least max(1, N). What lies between the rows is neither read
 *        nor written. C must not overlap A or B. Arrays need no alignment.
 * A      as csr_check wants it; the kernels do not look again.
 * M, N, K  any, 0 included. A row of A without entries leaves its row of C = beta C.
 * beta   0 overwrites C without reading it, so that C may hold anything before, NaN included.
 * alpha  0 is not special: 0 * NaN is NaN.
 * NaN    and infinities in a row of B reach those rows of C whose row of A has an entry there, and no others: a place without an
 *        entry is not a zero, which would make NaN of them. The dense product of the same numbers differs in that.
 * Sums   are kept in float. The order of the additions depends on A and N alone: neither on the number of threads nor on
 *        where the arrays lie. So a rung gives the same bits each time.
 * Lecture: lectures/04-gemm-cpu.md. SPDX-License-Identifier: MIT */
#ifndef CPU_SPMM_SPMM_H
#define CPU_SPMM_SPMM_H

#include "cpu/spmm/csr.h"

typedef void Spmm(const Csr *A, int N, float alpha, const float *B, int ldb, float beta, float *C, int ldc);

/* clang-format off */
Spmm spmm_naive;     /* 01: each element of C on its own */
Spmm spmm_reordered; /* 02: each entry of A adds a multiple of a row of B to a row of C */
Spmm spmm_vector;    /* 03: a strip of a row of C stays in registers */
Spmm spmm_packed;    /* 04: a block of B's rows, in strips, stays in cache */
Spmm spmm_openmp;    /* 05: threads share the rows by their entries */
/* clang-format on */

/* How many threads rung 5 uses of those that there are: one for small products. */
int spmm_openmp_threads(const Csr *A, int N, int threads);

/* Where thread t's rows begin when `threads` threads partition them; its successor's begin where they end. */
int spmm_openmp_first_row(const Csr *A, int t, int threads);

#endif
