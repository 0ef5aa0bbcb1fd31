/* gemm_int8, peer: dnnl_gemm_u8s8s32 of oneDNN, if it is here. Its matmul primitive does the same with zero points as
 * attributes; in 2.6.3, on AVX-512, it does it more slowly, and only without any of them as fast.
 *
 * Without VNNI oneDNN multiplies bytes with vpmaddubsw, which adds two products and saturates their sum at 16 bits:
 *
 *     255 * 127 + 255 * 127 = 64770   becomes   32767
 *
 * No pair saturates where every a is at most 127 (7 bits), or every sum of two products at most 32767, as with the ladder's
 * inputs. oneDNN's documentation, "Nuances of int8 computations", asks for 7 bits. Our rungs are always exact (quads.h).
 * SPDX-License-Identifier: MIT */
#include "cpu/onednn.h"
#include "core/checked.h"
#include "cpu/gemm_int8/peers.h"
#include <stdio.h>
#include <string.h>

/* C = alpha (op(A) - zero_a)(op(B) - zero_b) + beta C + offset; offset_kind 'F': one offset for all of C. */
typedef int GemmU8S8S32(char transpose_a, char transpose_b, char offset_kind, int64_t M, int64_t N, int64_t K,
                        float alpha, const uint8_t *A, int64_t lda, uint8_t zero_a, const int8_t *B, int64_t ldb,
                        int8_t zero_b, float beta, int32_t *C, int64_t ldc, const int32_t *offset);

static GemmU8S8S32 *
find(Error *error)
{
    return (GemmU8S8S32 *)onednn_function("dnnl_gemm_u8s8s32", error);
}

bool
gemm_int8_onednn_accepts(const int *size, Error *reason)
{
    (void)size;
    return find(reason) != NULL;
}

bool
gemm_int8_onednn_exact(void)
{
    static const uint8_t A[] = {255, 255};
    static const int8_t B[] = {127, 127};
    int32_t C = 0;
    if (find(NULL) == NULL)
        return false;
    gemm_int8_onednn(false, false, 1, 1, 2, A, 2, 0, B, 1, 0, &C, 1);
    return C == 2 * 255 * 127;
}

const char *
gemm_int8_onednn_describe(void)
{
    static char text[192];
    Error error = {""};
    if (find(&error) == NULL)
        snprintf(text, sizeof text, "%.190s", error.text);
    else
        snprintf(text, sizeof text, "%s%s", onednn_describe(),
                 gemm_int8_onednn_exact()
                     ? ""
                     : "; saturates at 16 bits without VNNI: exact for inputs of 7 bits, and for these");
    return text;
}

void
gemm_int8_onednn(bool transpose_a, bool transpose_b, int M, int N, int K, const uint8_t *A, int lda, int zero_a,
                 const int8_t *B, int ldb, int zero_b, int32_t *C, int ldc)
{
    static const int32_t no_offset = 0;
    GemmU8S8S32 *const gemm = find(NULL);
    CHECK_THAT(gemm != NULL, "oneDNN is not here; gemm_int8_onednn_accepts says so");
    for (int m = 0; K == 0 && m < M; m++) /* it would leave C alone */
        memset(C + (size_t)m * (size_t)ldc, 0, (size_t)N * sizeof(int32_t));
    if (M == 0 || N == 0 || K == 0)
        return;
    const int failed = gemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', 'F', M, N, K, 1.0f, A, lda,
                            (uint8_t)zero_a, B, ldb, (int8_t)zero_b, 0.0f, C, ldc, &no_offset);
    CHECK_THAT(failed == 0, "dnnl_gemm_u8s8s32 returned %d", failed);
}
