/* OpenBLAS, a peer: loaded at the first call. What is declared here is what the standard cblas.h and OpenBLAS's own
 * additions say of these functions.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_OPENBLAS_H
#define CPU_OPENBLAS_H

#include "core/error.h"

enum { CBLAS_ROWS = 101, CBLAS_AS_STORED = 111, CBLAS_TRANSPOSED = 112 };

typedef void CblasSgemm(int order, int transpose_a, int transpose_b, int M, int N, int K, float alpha, const float *A,
                        int lda, const float *B, int ldb, float beta, float *C, int ldc);
typedef void CblasSgemv(int order, int transpose, int M, int N, float alpha, const float *A, int lda, const float *x,
                        int x_step, float beta, float *y, int y_step);

typedef struct Openblas {
    CblasSgemm *sgemm;
    CblasSgemv *sgemv;
} Openblas;

/* NULL with a sentence where there is none. */
const Openblas *openblas_get(Error *error);

/* For the tables of rungs (ladder/ladder.h): is it here; "OpenBLAS 0.3.21, Cooperlake", or why not; how many threads. */
bool openblas_accepts(const int *size, Error *reason);
const char *openblas_describe(void);
void openblas_use_threads(int threads);

#endif
