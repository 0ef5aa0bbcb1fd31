/* Deliberately broken versions of gemm: the checker of gemm's ladder must reject every one of them, at every size and in every
 * variant that tests/ladder/test_wrong_gemm.c gives it. They are included, not linked: nobody else may use them.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_WRONG_GEMM_H
#define TESTS_WRONG_GEMM_H

#include "cpu/gemm/gemm.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

#define GEMM_PARAMETERS                                                                                                \
    bool transpose_a, bool transpose_b, int M, int N, int K, float alpha, const float *A, int lda, const float *B,     \
        int ldb, float beta, float *C, int ldc
#define RIGHT(M, N, K, alpha) gemm_reordered(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc)

static void
wrong_zeros(GEMM_PARAMETERS)
{
    (void)transpose_a, (void)transpose_b, (void)K, (void)alpha, (void)A, (void)lda, (void)B, (void)ldb, (void)beta;
    for (int m = 0; m < M; m++)
        memset(C + (size_t)m * (size_t)ldc, 0, (size_t)N * sizeof(float));
}

/* Leaves what was there: of an earlier call, of another implementation, or the poison. */
static void
wrong_nothing(GEMM_PARAMETERS)
{
    (void)transpose_a, (void)transpose_b, (void)M, (void)N, (void)K, (void)alpha, (void)A, (void)lda, (void)B;
    (void)ldb, (void)beta, (void)C, (void)ldc;
}

static void
wrong_last_row(GEMM_PARAMETERS)
{
    RIGHT(M - 1, N, K, alpha);
}

static void
wrong_last_column(GEMM_PARAMETERS)
{
    RIGHT(M, N - 1, K, alpha);
}

/* One term of the sum is missing. */
static void
wrong_last_k(GEMM_PARAMETERS)
{
    RIGHT(M, N, K - 1, alpha);
}

/* The corner tile, which only a kernel's last case computes. */
static void
wrong_corner(GEMM_PARAMETERS)
{
    RIGHT(M, N, K, alpha);
    C[(size_t)(M - 1) * (size_t)ldc + (size_t)(N - 1)] = 0.0f;
}

static void
wrong_one_nan(GEMM_PARAMETERS)
{
    RIGHT(M, N, K, alpha);
    C[(size_t)(M / 2) * (size_t)ldc + (size_t)(N / 2)] = NAN;
}

/* By a part in a thousand, and never by nothing. */
static void
wrong_one_element(GEMM_PARAMETERS)
{
    RIGHT(M, N, K, alpha);
    C[0] += 1e-3f * (1.0f + fabsf(C[0])) + 1e-6f * (float)K;
}

/* One element counted twice, as where two threads' parts overlap. */
static void
wrong_one_doubled(GEMM_PARAMETERS)
{
    RIGHT(M, N, K, alpha);
    float *c = C + (size_t)(M / 3) * (size_t)ldc + (size_t)(N - 1);
    *c += fabsf(*c) < 1e-2f ? 1.0f : *c;
}

static void
wrong_all_doubled(GEMM_PARAMETERS)
{
    RIGHT(M, N, K, 2.0f * alpha);
}

static void
wrong_sign(GEMM_PARAMETERS)
{
    RIGHT(M, N, K, -alpha);
}

/* Right numbers in wrong places: every sum over the output is right. */
static void
wrong_swapped(GEMM_PARAMETERS)
{
    RIGHT(M, N, K, alpha);
    float *first = C, *last = C + (size_t)(M - 1) * (size_t)ldc + (size_t)(N - 1), keep = *first;
    *first = *last;
    *last = keep;
}

/* Behind the last element, in front of the first. */
static void
wrong_behind(GEMM_PARAMETERS)
{
    RIGHT(M, N, K, alpha);
    C[(size_t)(M - 1) * (size_t)ldc + (size_t)N] = 0.0f;
}

static void
wrong_before(GEMM_PARAMETERS)
{
    RIGHT(M, N, K, alpha);
    C[-1] = 0.0f;
}

/* Adds to what was there, though beta is 0. */
static void
wrong_adds(GEMM_PARAMETERS)
{
    (void)beta;
    gemm_reordered(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, 1.0f, C, ldc);
}

static float
with_bits(float x, uint32_t mask)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + (~mask >> 1)) & mask; /* to the nearest */
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* op(A) rounded to fewer bits of mantissa. */
static void
with_rounded_a(GEMM_PARAMETERS, uint32_t mask)
{
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            double sum = 0.0;
            for (int k = 0; k < K; k++) {
                const float a =
                    transpose_a ? A[(size_t)k * (size_t)lda + (size_t)m] : A[(size_t)m * (size_t)lda + (size_t)k];
                const float b =
                    transpose_b ? B[(size_t)n * (size_t)ldb + (size_t)k] : B[(size_t)k * (size_t)ldb + (size_t)n];
                sum += (double)with_bits(a, mask) * (double)b;
            }
            (void)beta;
            C[(size_t)m * (size_t)ldc + (size_t)n] = alpha * (float)sum;
        }
}

/* 8 bits of mantissa, one hidden. */
static void
wrong_bfloat16(GEMM_PARAMETERS)
{
    with_rounded_a(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc, 0xffff0000u);
}

/* 11 bits, as TF32 has and half precision. */
static void
wrong_tf32(GEMM_PARAMETERS)
{
    with_rounded_a(transpose_a, transpose_b, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc, 0xffffe000u);
}

typedef struct WrongGemm {
    const char *name;
    Gemm *function;
} WrongGemm;

static const WrongGemm wrong_gemms[] = {
    {"zeros", wrong_zeros},
    {"nothing", wrong_nothing},
    {"last row", wrong_last_row},
    {"last column", wrong_last_column},
    {"last k", wrong_last_k},
    {"corner", wrong_corner},
    {"one nan", wrong_one_nan},
    {"one element", wrong_one_element},
    {"one doubled", wrong_one_doubled},
    {"all doubled", wrong_all_doubled},
    {"sign", wrong_sign},
    {"swapped", wrong_swapped},
    {"behind", wrong_behind},
    {"before", wrong_before},
    {"adds", wrong_adds},
    {"bfloat16", wrong_bfloat16},
    {"tf32", wrong_tf32},
};
enum { WRONG_GEMMS = sizeof(wrong_gemms) / sizeof(wrong_gemms[0]) };

#endif
