/* ReLU and all gradients: one multiplication or comparison for each element, which the compiler turns into vector code by
 * itself; only relu's gradient needs a prefetch. All are memory-bound, so there is no second rung; threads share long arrays.
 * SPDX-License-Identifier: MIT */
#include "core/vector.h"
#include "cpu/activation/activation.h"
#include "cpu/chunks.h"

/* Written so that NaN stays NaN: x > 0 ? x : 0 would make it 0. */
static void
relu_part(size_t n, const float *x, float *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] < 0 ? 0 : x[i];
}

/* y < 0 never holds, so what is not y > 0 is 0 or NaN. */
static inline Vector
relu_gradient_of(Vector y, Vector dy)
{
    const VectorMask take = y > 0;
    return (Vector)((take & (VectorMask)dy) | (~take & (VectorMask)y));
}

/* However it is written, gcc emits masked loads of dy where the processor has them (AVX, AVX-512). They depend on y, so dy is
 * prefetched. */
static void
relu_gradient_part(size_t n, const float *y, const float *dy, float *dx)
{
    enum { AHEAD = 512 }; /* floats, 2 KiB: measured */
    size_t i = 0;
    for (; i + VECTOR_LANES <= n; i += VECTOR_LANES) {
        __builtin_prefetch(dy + i + AHEAD);
        vector_store(dx + i, relu_gradient_of(vector_load(y + i), vector_load(dy + i)));
    }
    const int last = (int)(n - i);
    vector_store_first(dx + i, relu_gradient_of(vector_load_first(y + i, last), vector_load_first(dy + i, last)), last);
}

static void
sigmoid_gradient_part(size_t n, const float *y, const float *dy, float *dx)
{
    for (size_t i = 0; i < n; i++)
        dx[i] = dy[i] * (y[i] * (1 - y[i]));
}

static void
tanh_gradient_part(size_t n, const float *y, const float *dy, float *dx)
{
    for (size_t i = 0; i < n; i++)
        dx[i] = dy[i] * (1 - y[i] * y[i]);
}

void
relu_forward(size_t n, const float *x, float *y)
{
    IN_CHUNKS(n, first, count, relu_part(count, x + first, y + first));
}

void
relu_gradient(size_t n, const float *y, const float *dy, float *dx)
{
    IN_CHUNKS(n, first, count, relu_gradient_part(count, y + first, dy + first, dx + first));
}

void
sigmoid_gradient(size_t n, const float *y, const float *dy, float *dx)
{
    IN_CHUNKS(n, first, count, sigmoid_gradient_part(count, y + first, dy + first, dx + first));
}

void
tanh_gradient(size_t n, const float *y, const float *dy, float *dx)
{
    IN_CHUNKS(n, first, count, tanh_gradient_part(count, y + first, dy + first, dx + first));
}
