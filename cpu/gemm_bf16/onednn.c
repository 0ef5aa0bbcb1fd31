/* gemm_bf16, peer: the matmul primitive of oneDNN, if it is here. SPDX-License-Identifier: MIT */
#include "cpu/onednn.h"
#include "core/checked.h"
#include "cpu/gemm_bf16/peers.h"
#include <stdio.h>
#include <string.h>

static OnednnMatmul *kept; /* for the shape of the last call */

static OnednnMatmul *
prepare(bool transpose_a, bool transpose_b, int M, int N, int K, int lda, int ldb, int ldc, Error *error)
{
    const OnednnMatrix a = {ONEDNN_BF16, M, K, transpose_a ? 1 : lda, transpose_a ? lda : 1};
    const OnednnMatrix b = {ONEDNN_BF16, K, N, transpose_b ? 1 : ldb, transpose_b ? ldb : 1};
    const OnednnMatrix c = {ONEDNN_FLOAT, M, N, ldc, 1};
    return onednn_matmul_keep(&kept, &a, &b, &c, error);
}

bool
gemm_bf16_onednn_accepts(const int *size, Error *reason)
{
    (void)size;
    return prepare(false, false, 256, 256, 256, 256, 256, 256, reason) != NULL;
}

const char *
gemm_bf16_onednn_describe(void)
{
    static char text[160];
    Error error = {""};
    if (!gemm_bf16_onednn_accepts(NULL, &error))
        snprintf(text, sizeof text, "%.150s", error.text);
    else
        snprintf(text, sizeof text, "%s, matmul by %s", onednn_describe(), onednn_matmul_name(kept));
    return text;
}

void
gemm_bf16_onednn(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const Bf16 *A, int lda,
                 const Bf16 *B, int ldb, float beta, float *C, int ldc)
{
    Error error = {""};
    CHECK_THAT(alpha == 1 && beta == 0, "alpha is %g, beta is %g; this peer is for 1 and 0", (double)alpha,
               (double)beta);
    for (int m = 0; K == 0 && m < M; m++)
        memset(C + (size_t)m * (size_t)ldc, 0, (size_t)N * sizeof(float));
    if (M == 0 || N == 0 || K == 0)
        return;
    OnednnMatmul *matmul = prepare(transpose_a, transpose_b, M, N, K, lda, ldb, ldc, &error);
    CHECK_THAT(matmul != NULL, "%s", error.text);
    onednn_matmul_run(matmul, A, B, C);
}
