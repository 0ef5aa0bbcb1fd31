/* What rungs 3 to 5 do to a strip of a row of C: it stays in registers while all entries of a row of A, or some of them, pass.
 *
 *     row of A      entry: column k, value a
 *     row k of B    [ 16 floats | 16 floats | .. ]     a load and a multiply-add for each vector
 *     sums          [ 16 sums   | 16 sums   | .. ]     8 vectors: as many chains as hide the time that a multiply-add takes.
 *                                                      Of a narrow strip: 2, 4 or 8 entries at a time, each with sums of its own
 *
 * SPDX-License-Identifier: MIT */
#ifndef CPU_SPMM_STRIP_H
#define CPU_SPMM_STRIP_H

#include "core/vector.h"
#include "cpu/spmm/csr.h"

enum { STRIP_VECTORS = 8, STRIP = STRIP_VECTORS * VECTOR_LANES };

/* What all rows of A have in common. B begins with the row first_row of the matrix, and has all rows that A refers to. */
typedef struct Strip {
    const Csr *A;
    const float *B;
    size_t ldb;
    int first_row;
    float alpha, beta;
} Strip;

/* c = alpha sum + beta c for the first n lanes; the others are not touched. */
static inline void
strip_store(float *c, int n, float alpha, Vector sum, float beta)
{
    Vector result = alpha * sum;
    if (beta != 0.0f)
        result += beta * (n == VECTOR_LANES ? vector_load(c) : vector_load_first(c, n));
    if (n == VECTOR_LANES)
        vector_store(c, result);
    else
        vector_store_first(c, result, n);
}

/* sum[v] += value of the entry times vector v of its row of B; the last vector has `last` lanes. */
static inline __attribute__((always_inline)) void
strip_add(const int vectors, const int last, const Strip *s, size_t entry, Vector *sum)
{
    const float *b = s->B + (size_t)(s->A->column[entry] - s->first_row) * s->ldb;
    const float a = s->A->value[entry];
#pragma GCC unroll 8
    for (int v = 0; v < vectors - 1; v++)
        sum[v] += a * vector_load(b + v * VECTOR_LANES);
    b += (vectors - 1) * VECTOR_LANES;
    sum[vectors - 1] += a * (last == VECTOR_LANES ? vector_load(b) : vector_load_first(b, last));
}

/* Entries begin .. end - 1 of A, which are in one row. A narrow strip has sums for several entries at a time, so that there are
 * enough chains nevertheless. Inlined with `vectors` constant: the inner loops unroll and the sums stay in registers. */
static inline __attribute__((always_inline)) void
strip_of(const int vectors, const int last, const Strip *s, size_t begin, size_t end, float *c)
{
    const int chains = STRIP_VECTORS / vectors;
    Vector sum[STRIP_VECTORS] = {{0.0f}};
    size_t p = begin;
    for (; end - p >= (size_t)chains; p += (size_t)chains)
#pragma GCC unroll 8
        for (int k = 0; k < chains; k++)
            strip_add(vectors, last, s, p + (size_t)k, sum + k * vectors);
    for (; p < end; p++)
        strip_add(vectors, last, s, p, sum);
#pragma GCC unroll 8
    for (int k = chains - 1; k > 0; k--)
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++)
            sum[v] += sum[k * vectors + v];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++)
        strip_store(c + v * VECTOR_LANES, v < vectors - 1 ? VECTOR_LANES : last, s->alpha, sum[v], s->beta);
}

/* C[0 .. columns - 1] = alpha (entries begin .. end - 1 of A) B + beta C for one row; 1 <= columns <= STRIP. */
static inline void
strip_multiply(const Strip *s, size_t begin, size_t end, int columns, float *c)
{
    const int last = (columns - 1) % VECTOR_LANES + 1;
#define VECTORS(n)                                                                                                     \
    case n:                                                                                                            \
        strip_of(n, last, s, begin, end, c);                                                                           \
        break;
    switch (columns == STRIP ? 0 : (columns + VECTOR_LANES - 1) / VECTOR_LANES) {
    case 0:
        strip_of(STRIP_VECTORS, VECTOR_LANES, s, begin, end, c);
        break;
        VECTORS(1) VECTORS(2) VECTORS(3) VECTORS(4) VECTORS(5) VECTORS(6) VECTORS(7) VECTORS(8)
    }
#undef VECTORS
}

#endif
