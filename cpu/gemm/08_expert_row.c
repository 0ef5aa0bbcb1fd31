/* One row of C in rung 8: a vector times a matrix. SPDX-License-Identifier: MIT */
#include "cpu/gemm/08_expert_row.h"
#include "core/vector.h"

enum { ROWS = 4, CHUNK = 2048 }; /* CHUNK floats of C stay in the first cache */

/* c[n] += sum over `rows` rows of a[i] b[i][n]. Inlined with `rows` constant: that many streams are read at once. */
static inline __attribute__((always_inline)) void
add_rows(const int rows, int N, const float *a, const float *b, size_t b_k, float *c)
{
    Vector factor[ROWS];
    for (int i = 0; i < rows; i++)
        factor[i] = vector_splat(a[i]);
    for (int n = 0; n < N; n += VECTOR_LANES) {
        const int lanes = N - n;
        Vector sum = lanes >= VECTOR_LANES ? vector_load(c + n) : vector_load_first(c + n, lanes);
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) {
            const float *x = b + (size_t)i * b_k + n;
            sum += factor[i] * (lanes >= VECTOR_LANES ? vector_load(x) : vector_load_first(x, lanes));
        }
        if (lanes >= VECTOR_LANES)
            vector_store(c + n, sum);
        else
            vector_store_first(c + n, sum, lanes);
    }
}

static void
multiply_chunk(const Product *p, int first, int N)
{
    float *c = product_c(p, 0, first), a[ROWS];
    for (int n = 0; n < N; n++)
        c[n] = p->beta == 0.0f ? 0.0f : p->beta * c[n];
    for (int k = 0; k < p->K; k += ROWS) {
        const int rows = p->K - k < ROWS ? p->K - k : ROWS;
        for (int i = 0; i < rows; i++)
            a[i] = p->alpha * *product_a(p, 0, k + i);
        const float *b = product_b(p, k, first);
        if (rows == ROWS)
            add_rows(ROWS, N, a, b, p->b_k, c);
        else
            for (int i = 0; i < rows; i++)
                add_rows(1, N, a + i, b + (size_t)i * p->b_k, p->b_k, c);
    }
}

void
multiply_row(const Product *p)
{
    for (int n = 0; n < p->N; n += CHUNK)
        multiply_chunk(p, n, p->N - n < CHUNK ? p->N - n : CHUNK);
}
