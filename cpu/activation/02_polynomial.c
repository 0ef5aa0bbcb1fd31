/* activation, rung 2: polynomials.
 * Idea      without calls and branches the functions are plain arithmetic, done for VECTOR_LANES elements at a time (cpu/exp.h).
 *           Threads share long arrays.
 * Before    a call for each element.
 * Now       some 20 instructions for each vector, at an error of 4e-7 in place of 1e-7: for arrays larger than the last-level
 *           cache it is memory-bound.
 * SPDX-License-Identifier: MIT */
#include "cpu/activation/activation.h"
#include "cpu/chunks.h"
#include "cpu/exp.h"

static inline Vector
sigmoid_of(Vector x)
{
    return 1 / (1 + exp_vector(-x));
}

/* tanh x = (e^2x - 1) / (e^2x + 1). Near 0 the difference cancels, so m = e^2x - 1 is not computed from e^2x:
 * with e^2x = 2^n e^r it is 2^n (e^r - 1) + (2^n - 1), where n = 0 leaves e^r - 1. From 9.1 on tanh is 1 in floats. */
static inline Vector
tanh_of(Vector x)
{
    const Vector inside = vector_smaller(vector_larger(x, vector_splat(-10)), vector_splat(10));
    const ExpParts e = exp_parts(2 * inside);
    const Vector m = e.half * e.rest + (2 * e.half - 1);
    return m / (m + 2);
}

/* y[i] = f(x[i]) in vectors; the last one may be partial. */
#define EACH_VECTOR(f)                                                                                                 \
    size_t i = 0;                                                                                                      \
    for (; i + VECTOR_LANES <= n; i += VECTOR_LANES)                                                                   \
        vector_store(y + i, f(vector_load(x + i)));                                                                    \
    vector_store_first(y + i, f(vector_load_first(x + i, (int)(n - i))), (int)(n - i))

static void
sigmoid_part(size_t n, const float *x, float *y)
{
    EACH_VECTOR(sigmoid_of);
}

static void
tanh_part(size_t n, const float *x, float *y)
{
    EACH_VECTOR(tanh_of);
}

void
sigmoid_polynomial(size_t n, const float *x, float *y)
{
    IN_CHUNKS(n, first, count, sigmoid_part(count, x + first, y + first));
}

void
tanh_polynomial(size_t n, const float *x, float *y)
{
    IN_CHUNKS(n, first, count, tanh_part(count, x + first, y + first));
}
