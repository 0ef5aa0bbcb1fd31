/* Deliberately broken versions of gemv, each wrong in a way that some well-known benchmark's checker has let pass. Every checker of
 * this project must reject every one of them: tests/ladder/test_wrong.c. They are included, not linked: nobody else may use them.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_WRONG_GEMV_H
#define TESTS_WRONG_GEMV_H

#include "cpu/gemv/gemv.h"
#include <math.h>
#include <stdint.h>

static void
wrong_zeros(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    (void)N, (void)alpha, (void)A, (void)lda, (void)x, (void)beta;
    for (int i = 0; i < M; i++)
        y[i] = 0.0f;
}

static void
wrong_nan(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    gemv_naive(M, N, alpha, A, lda, x, beta, y);
    y[M / 2] = NAN; /* a single one */
}

static void
wrong_infinity(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    gemv_naive(M, N, alpha, A, lda, x, beta, y);
    y[0] = INFINITY;
}

/* The last rows are never written: what was there before stays. */
static void
wrong_missing_rows(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    gemv_naive(M - M % 8, N, alpha, A, lda, x, beta, y);
}

/* The edge columns are not summed. */
static void
wrong_missing_columns(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    gemv_naive(M, N - N % 8, alpha, A, lda, x, beta, y);
}

/* Right numbers in wrong places, so that every sum over the output is right. */
static void
wrong_swapped_chunk(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    gemv_naive(M, N, alpha, A, lda, x, beta, y);
    for (int i = 0; i < M / 4; i++) {
        float keep = y[i];
        y[i] = y[M / 2 + i];
        y[M / 2 + i] = keep;
    }
}

static void
wrong_doubled(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    gemv_naive(M, N, 2.0f * alpha, A, lda, x, beta, y);
}

static void
wrong_sign(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    gemv_naive(M, N, -alpha, A, lda, x, beta, y);
}

/* The mean is right. */
static void
wrong_all_equal(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    gemv_naive(M, N, alpha, A, lda, x, beta, y);
    float mean = 0.0f;
    for (int i = 0; i < M; i++)
        mean += y[i] / (float)M;
    for (int i = 0; i < M; i++)
        y[i] = mean;
}

/* Leaves what was there: of an earlier call, of another implementation, or the poison. */
static void
wrong_nothing(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    (void)M, (void)N, (void)alpha, (void)A, (void)lda, (void)x, (void)beta, (void)y;
}

static float
as_bfloat16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0xffff0000u;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Elements of A cut to 8 bits of mantissa: two or three digits of the result are right. */
static void
wrong_low_precision(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    (void)beta;
    for (int i = 0; i < M; i++) {
        float sum = 0.0f;
        for (int j = 0; j < N; j++)
            sum += as_bfloat16(A[(size_t)i * (size_t)lda + (size_t)j]) * x[j];
        y[i] = alpha * sum;
    }
}

static void
wrong_one_element(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    gemv_naive(M, N, alpha, A, lda, x, beta, y);
    y[M - 1] *= 1.001f;
    y[M - 1] += 1e-3f; /* also if it was zero */
}

static void
wrong_ignores_last_row_stride(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    gemv_naive(M, N, alpha, A, lda - 1, x, beta, y);
}

static void
wrong_one_past_the_end(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    gemv_naive(M, N, alpha, A, lda, x, beta, y);
    y[M] = y[M - 1];
}

static void
wrong_one_before_the_start(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    gemv_naive(M, N, alpha, A, lda, x, beta, y);
    y[-1] = 0.0f;
}

/* A whole vector behind the end, as a kernel does that has no tail. */
static void
wrong_vector_past_the_end(int M, int N, float alpha, const float *A, int lda, const float *x, float beta, float *y)
{
    gemv_naive(M, N, alpha, A, lda, x, beta, y);
    for (int i = M; i < M + 15; i++)
        y[i] = 0.0f;
}

typedef struct Wrong {
    const char *name;
    Gemv *function;
    bool overruns; /* the elements are right: only the guard words can tell */
} Wrong;

static const Wrong wrongs[] = {
    {"zeros", wrong_zeros, false},
    {"nan", wrong_nan, false},
    {"infinity", wrong_infinity, false},
    {"missing rows", wrong_missing_rows, false},
    {"missing columns", wrong_missing_columns, false},
    {"swapped chunk", wrong_swapped_chunk, false},
    {"doubled", wrong_doubled, false},
    {"sign", wrong_sign, false},
    {"all equal", wrong_all_equal, false},
    {"nothing", wrong_nothing, false},
    {"low precision", wrong_low_precision, false},
    {"one element", wrong_one_element, false},
    {"stride", wrong_ignores_last_row_stride, false},
    {"one past the end", wrong_one_past_the_end, true},
    {"one before the start", wrong_one_before_the_start, true},
    {"vector past the end", wrong_vector_past_the_end, true},
};
enum { WRONG_COUNT = sizeof(wrongs) / sizeof(wrongs[0]) };

#endif
