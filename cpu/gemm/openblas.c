/* gemm, peer: cblas_sgemm of OpenBLAS, if it is here. SPDX-License-Identifier: MIT */
#include "cpu/openblas.h"
#include "core/checked.h"
#include "cpu/gemm/peers.h"

void
gemm_openblas(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
              const float *B, int ldb, float beta, float *C, int ldc)
{
    const Openblas *openblas = openblas_get(NULL);
    CHECK_THAT(openblas != NULL, "it is not here; openblas_accepts says so");
    openblas->sgemm(CBLAS_ROWS, transpose_a ? CBLAS_TRANSPOSED : CBLAS_AS_STORED,
                    transpose_b ? CBLAS_TRANSPOSED : CBLAS_AS_STORED, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
}
