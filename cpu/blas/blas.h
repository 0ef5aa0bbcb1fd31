/* A drop-in BLAS: build/librungs_blas.so exports these eight routines of the standard and nothing else. A program that was built
 * against any BLAS runs on the rungs of this project with
 *
 *     LD_PRELOAD=build/librungs_blas.so PROGRAM
 *
 * and takes the routines that are not here from its own BLAS. Environment:
 *
 *     RUNGS_GEMM=blocked        that rung of gemm instead of the top one; for another word there is a sentence on stderr
 *     RUNGS_BLAS_VERBOSE=1      says on stderr, at the first call, which rung computes, on how many threads
 *     OMP_NUM_THREADS=1         as for every OpenMP program
 *
 * What a call means is the standard's: Lawson et al. 1979 (level 1), Dongarra et al. 1988 (level 2) and 1990 (level 3), the C
 * interface that of the BLAS Technical Forum (2001). Where these leave room we do what the reference implementation does
 * (netlib.org/blas, 3.11):
 *
 *     C = beta C, y = beta y   with beta = 0 sets zeros, also where there was NaN
 *     alpha = 0                A, B and x are not read
 *     M = 0 or N = 0           nothing happens, and in gemv y is not even multiplied by beta
 *     increments               negative: the vector runs backwards, element 0 is stored last; 0 is legal in dot and axpy
 *     an illegal argument      is reported through xerbla_ or cblas_xerbla, by the number of the first one, and nothing is computed
 *
 * Integers are 32 bits wide (LP64). Any thread may call at any time; threads are never pinned.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_BLAS_BLAS_H
#define CPU_BLAS_BLAS_H

/* The library is compiled with everything hidden. */
#define BLAS_EXPORT __attribute__((visibility("default")))

/* Fortran: every argument is a pointer, matrices are column-major, transposes are letters: N, T or C in either case. The
 * lengths of the strings, which Fortran compilers pass behind the last argument, are not looked at. */
BLAS_EXPORT void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                        const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
                        const float *beta, float *c, const int *ldc);
BLAS_EXPORT void sgemv_(const char *trans, const int *m, const int *n, const float *alpha, const float *a,
                        const int *lda, const float *x, const int *incx, const float *beta, float *y, const int *incy);
BLAS_EXPORT float sdot_(const int *n, const float *x, const int *incx, const float *y, const int *incy);
BLAS_EXPORT void saxpy_(const int *n, const float *alpha, const float *x, const int *incx, float *y, const int *incy);

/* C: the enumerations of cblas.h, which is not included since not every machine has one. */
enum { BLAS_ROW_MAJOR = 101, BLAS_COLUMN_MAJOR = 102 };
enum { BLAS_NO_TRANSPOSE = 111, BLAS_TRANSPOSE = 112, BLAS_CONJUGATE_TRANSPOSE = 113 };

BLAS_EXPORT void cblas_sgemm(int order, int transa, int transb, int M, int N, int K, float alpha, const float *A,
                             int lda, const float *B, int ldb, float beta, float *C, int ldc);
BLAS_EXPORT void cblas_sgemv(int order, int trans, int M, int N, float alpha, const float *A, int lda, const float *x,
                             int incx, float beta, float *y, int incy);
BLAS_EXPORT float cblas_sdot(int n, const float *x, int incx, const float *y, int incy);
BLAS_EXPORT void cblas_saxpy(int n, float alpha, const float *x, int incx, float *y, int incy);

#endif
