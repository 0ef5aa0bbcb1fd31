/* Products for the tests of gemm: operands with NaN between their rows, and a reference that sums in double.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_CPU_GEMM_CASE_H
#define TESTS_CPU_GEMM_CASE_H

#include "core/array.h"
#include "core/rng.h"
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { GAP = 3 };

typedef struct Case {
    bool transpose_a, transpose_b;
    int M, N, K;
    float alpha, beta;
} Case;

/* Operands with GAP floats of NaN behind each row: a kernel that reads them shows it. */
typedef struct Operands {
    float *A, *B, *C;
    size_t lda, ldb, ldc, c_size;
} Operands;

static inline float *
padded(size_t rows, size_t columns, uint64_t stream)
{
    float *x = ARRAY(float, rows *(columns + GAP) + 1);
    for (size_t r = 0; r < rows; r++) {
        rng_fill_uniform(7, stream, r * columns, x + r * (columns + GAP), columns, -1, 1);
        for (size_t g = 0; g < GAP; g++)
            x[r * (columns + GAP) + columns + g] = NAN;
    }
    return x;
}

static inline Operands
operands_create(const Case *c)
{
    const size_t M = (size_t)c->M, N = (size_t)c->N, K = (size_t)c->K;
    Operands o = {.lda = (c->transpose_a ? M : K) + GAP, .ldb = (c->transpose_b ? K : N) + GAP, .ldc = N + GAP};
    o.A = c->transpose_a ? padded(K, M, 1) : padded(M, K, 1);
    o.B = c->transpose_b ? padded(N, K, 2) : padded(K, N, 2);
    o.C = padded(M, N, 3);
    o.c_size = M * o.ldc;
    return o;
}

static inline void
operands_free(Operands *o)
{
    array_free(o->A);
    array_free(o->B);
    array_free(o->C);
}

/* want[M][ldc], in double; the gaps between the rows stay as in C. B is copied to [K][N], so that the loop over n is vectorised. */
static inline double *
reference(const Case *c, const Operands *o)
{
    const size_t M = (size_t)c->M, N = (size_t)c->N, K = (size_t)c->K;
    double *want = ARRAY(double, o->c_size + 1), *B = ARRAY(double, K *N + 1), *sums = ARRAY(double, N + 1);
    for (size_t i = 0; i < o->c_size; i++)
        want[i] = o->C[i];
    for (size_t k = 0; k < K; k++)
        for (size_t n = 0; n < N; n++)
            B[k * N + n] = o->B[c->transpose_b ? n * o->ldb + k : k * o->ldb + n];
    for (size_t m = 0; m < M; m++) {
        memset(sums, 0, N * sizeof(double));
        for (size_t k = 0; k < K; k++) {
            const double a = o->A[c->transpose_a ? k * o->lda + m : m * o->lda + k];
            for (size_t n = 0; n < N; n++)
                sums[n] += a * B[k * N + n];
        }
        for (size_t n = 0; n < N; n++) {
            double *at = &want[m * o->ldc + n];
            *at = c->alpha * sums[n] + (c->beta == 0 ? 0 : c->beta * *at);
        }
    }
    array_free(B);
    array_free(sums);
    return want;
}

#endif
