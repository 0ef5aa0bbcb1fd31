/* One product of a sparse and a dense matrix with what it must give, for the tests of spmm.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_CPU_SPMM_CASE_H
#define TESTS_CPU_SPMM_CASE_H

#include "core/array.h"
#include "core/rng.h"
#include "cpu/ladders.h"
#include "cpu/spmm/spmm.h"
#include <float.h>
#include <math.h>

static inline int
rung_count(void)
{
    int count = 0;
    while (count < spmm_ladder.count && !spmm_ladder.rungs[count].peer)
        count++;
    return count;
}

static inline Spmm *
rung(int r)
{
    return (Spmm *)spmm_ladder.rungs[r].function;
}

typedef struct Shape {
    int M, N, K;
    double density;
    int gap; /* floats behind each row of B and C */
    float alpha, beta;
} Shape;

typedef struct Case {
    Shape shape;
    Csr *A;
    size_t ld, c_size;
    float *B, *C; /* with NaN between the rows */
    double *want, *tolerance;
} Case;

/* Entries by chance; row 1 is full, and row 2 and the last row have none. */
static inline Csr *
make_matrix(const Shape *shape)
{
    const int M = shape->M, K = shape->K;
    float *dense = ARRAY(float, (size_t)M *(size_t)K);
    Rng rng = rng_create(9, 1);
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++) {
            const bool stored = rng_uniform(&rng) < shape->density, empty = i == 2 || (i > 2 && i == M - 1);
            if ((stored || (i == 1 && shape->density > 0.0)) && !empty)
                dense[(size_t)i * (size_t)K + (size_t)k] = (float)rng_uniform(&rng) + 0.5f * (float)(k % 2 ? -3 : 1);
        }
    Csr *A = csr_from_dense(M, K, dense, K, NULL);
    array_free(dense);
    return A;
}

/* Exactly as long as may be read: AddressSanitizer sees one more. */
static inline float *
make_rows(int rows, int columns, size_t ld, uint64_t stream)
{
    const size_t length = rows > 0 ? (size_t)(rows - 1) * ld + (size_t)columns : 0;
    float *x = ARRAY(float, length);
    rng_fill_uniform(9, stream, 0, x, length, -1.0, 1.0);
    for (size_t i = 0; i < length; i++)
        if (i % ld >= (size_t)columns)
            x[i] = NAN;
    return x;
}

static inline Case
make_case(const Shape *shape)
{
    const int M = shape->M, N = shape->N;
    Case c = {.shape = *shape, .A = make_matrix(shape), .ld = (size_t)((N > 0 ? N : 1) + shape->gap)};
    c.c_size = M > 0 ? (size_t)(M - 1) * c.ld + (size_t)N : 0;
    c.B = make_rows(shape->K, N, c.ld, 2);
    c.C = make_rows(M, N, c.ld, 3);
    c.want = ARRAY(double, c.c_size);
    c.tolerance = ARRAY(double, c.c_size);
    for (int i = 0; i < M; i++)
        for (int n = 0; n < N; n++) {
            const size_t at = (size_t)i * c.ld + (size_t)n;
            const double old = shape->beta == 0.0f ? 0.0 : (double)shape->beta * (double)c.C[at];
            double sum = 0.0, magnitude = 0.0, terms = 3.0 + shape->K / 64.0;
            for (size_t p = c.A->offset[i]; p < c.A->offset[i + 1]; p++, terms++) {
                const double product = (double)c.A->value[p] * (double)c.B[(size_t)c.A->column[p] * c.ld + (size_t)n];
                sum += product;
                magnitude += fabs(product);
            }
            c.want[at] = (double)shape->alpha * sum + old;
            c.tolerance[at] = terms * FLT_EPSILON / 2.0 * (fabs((double)shape->alpha) * magnitude + fabs(old));
        }
    return c;
}

static inline void
free_case(Case *c)
{
    csr_free(c->A);
    array_free(c->B);
    array_free(c->C);
    array_free(c->want);
    array_free(c->tolerance);
}

static inline void
run(Spmm *spmm, const Case *c, float *C)
{
    spmm(c->A, c->shape.N, c->shape.alpha, c->B, (int)c->ld, c->shape.beta, C, (int)c->ld);
}

#endif
