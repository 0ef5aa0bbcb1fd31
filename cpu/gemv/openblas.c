/* gemv, peer: cblas_sgemv of OpenBLAS, if it is here. Not a rung of ours.
 * SPDX-License-Identifier: MIT */
#include "cpu/openblas.h"
#include "core/checked.h"
#include "cpu/gemv/gemv.h"

void
gemv_openblas(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    static const float no_column[1] = {0.0f};
    const Openblas *openblas = openblas_get(NULL);
    CHECK_THAT(openblas != NULL, "it is not here; openblas_accepts says so");
    if (N > 0)
        openblas->sgemv(CBLAS_ROWS, CBLAS_AS_STORED, M, N, alpha, A, lda, x, 1, beta, y, 1);
    else /* BLAS would leave y alone */
        gemv_naive(M, 0, alpha, no_column, 1, no_column, beta, y);
}
