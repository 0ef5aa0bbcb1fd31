/* gemm, peers: dnnl_sgemm and the matmul primitive of oneDNN, if it is here. Which of them is faster depends on the shape.
 * SPDX-License-Identifier: MIT */
#include "cpu/onednn.h"
#include "core/checked.h"
#include "cpu/gemm/peers.h"
#include <stdio.h>
#include <string.h>

void
gemm_onednn(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
            const float *B, int ldb, float beta, float *C, int ldc)
{
    OnednnSgemm *const sgemm = onednn_sgemm(NULL);
    CHECK_THAT(sgemm != NULL, "oneDNN is not here; onednn_accepts says so");
    if (K == 0) { /* dnnl_sgemm would leave C alone */
        gemm_naive(transpose_a, transpose_b, M, N, 0, alpha, A, lda, B, ldb, beta, C, ldc);
        return;
    }
    const int failed =
        sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    CHECK_THAT(failed == 0, "dnnl_sgemm returned %d", failed);
}

/* What a primitive is made for. */
typedef struct Shape {
    int transpose_a, transpose_b, M, N, K, lda, ldb, ldc; /* int alone: no gaps, so that memcmp compares */
} Shape;

static OnednnMatmul *
prepare(const Shape *s)
{
    Error error = {""};
    const OnednnMatrix a = {ONEDNN_FLOAT, s->M, s->K, s->transpose_a ? 1 : s->lda, s->transpose_a ? s->lda : 1};
    const OnednnMatrix b = {ONEDNN_FLOAT, s->K, s->N, s->transpose_b ? 1 : s->ldb, s->transpose_b ? s->ldb : 1};
    const OnednnMatrix c = {ONEDNN_FLOAT, s->M, s->N, s->ldc, 1};
    OnednnMatmul *matmul = onednn_matmul_create(&a, &b, &c, &error);
    CHECK_THAT(matmul != NULL, "%s", error.text);
    return matmul;
}

const char *
onednn_matmul_describe(void)
{
    static char text[160];
    if (onednn_sgemm(NULL) == NULL)
        return onednn_describe();
    OnednnMatmul *matmul = prepare(&(Shape){.M = 256, .N = 256, .K = 256, .lda = 256, .ldb = 256, .ldc = 256});
    snprintf(text, sizeof text, "%s, matmul by %s", onednn_describe(), onednn_matmul_name(matmul));
    onednn_matmul_free(matmul);
    return text;
}

/* The last one is kept, as a framework keeps those of its layers: its preparation takes a thousand times a small product. Not for
 * several threads at once. */
void
gemm_onednn_matmul(bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda,
                   const float *B, int ldb, float beta, float *C, int ldc)
{
    static Shape kept;
    static OnednnMatmul *matmul;
    const Shape shape = {transpose_a, transpose_b, M, N, K, lda, ldb, ldc};
    if (alpha != 1 || beta != 0 || M == 0 || N == 0 || K == 0) { /* what this primitive is not made for */
        gemm_onednn(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
        return;
    }
    if (matmul == NULL || memcmp(&kept, &shape, sizeof shape) != 0) {
        onednn_matmul_free(matmul);
        matmul = prepare(&shape);
        kept = shape;
    }
    onednn_matmul_run(matmul, A, B, C);
}
