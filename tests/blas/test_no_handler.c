/* Illegal arguments of the drop-in BLAS in a program that has no xerbla_ and no cblas_xerbla: a sentence, and the end.
 * SPDX-License-Identifier: MIT */
#include "cpu/blas/blas.h"
#include "tests/capture.h"
#include "tests/testing.h"

TEST_ENDS(gemm, "librungs_blas: parameter 4 of SGEMM has an illegal value")
{
    const int minus = -1, one = 1;
    const float x[1] = {1};
    float c[1] = {1};
    sgemm_("N", "N", &one, &minus, &one, x, x, &one, x, &one, x, c, &one);
}

TEST_ENDS(gemv, "librungs_blas: parameter 8 of SGEMV has an illegal value")
{
    const int zero = 0, one = 1;
    const float x[1] = {1};
    float y[1] = {1};
    sgemv_("T", &one, &one, x, x, &one, x, &zero, x, y, &one);
}

TEST_ENDS(c_gemm, "librungs_blas: parameter 11 of cblas_sgemm has an illegal value")
{
    const float x[1] = {1};
    float c[1] = {1};
    cblas_sgemm(BLAS_ROW_MAJOR, BLAS_NO_TRANSPOSE, BLAS_NO_TRANSPOSE, 1, 1, 1, 1, x, 1, x, 0, 1, c, 1);
}

TEST_ENDS(c_gemv, "librungs_blas: parameter 1 of cblas_sgemv has an illegal value")
{
    const float x[1] = {1};
    float y[1] = {1};
    cblas_sgemv(7, BLAS_NO_TRANSPOSE, 1, 1, 1, x, 1, x, 1, 1, y, 1);
}

TEST_MAIN("blas/no_handler")
