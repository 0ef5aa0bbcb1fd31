/* gemv, peer: cblas_sgemv of OpenBLAS (or of whatever BLAS the program was linked with). Not a rung of ours.
 * SPDX-License-Identifier: MIT */
#ifdef HAVE_CBLAS
#include "cpu/gemv/gemv.h"
#include <cblas.h>

void
gemv_openblas(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    static const float no_column[1] = {0.0f};
    if (N > 0)
        cblas_sgemv(CblasRowMajor, CblasNoTrans, M, N, alpha, A, lda, x, 1, beta, y, 1);
    else /* BLAS would leave y alone */
        gemv_naive(M, 0, alpha, no_column, 1, no_column, beta, y);
}

#else
typedef int OpenblasIsNotHere; /* C wants at least one declaration in a file */
#endif
