/* The loops whose speed is the machine's. To see that kernel_fma is what it says: objdump -d, vfmadd on registers alone.
 * SPDX-License-Identifier: MIT */
#include "ladder/machine_kernels.h"
#include "core/vector.h"

/* Each chain is a <- a * factor + term, which stays near term / (1 - factor) = 1 for ever: no overflow, no denormal numbers.
 * volatile, so that the compiler knows neither and has to compute. 12 chains: 2 units with a latency of 4 or 5 want 8 to 10, and
 * 12 accumulators fit the 16 registers of AVX2. */
static volatile const float factor_source = 0.75f, term_source = 0.25f;

float
kernel_fma(size_t steps)
{
    const Vector factor = vector_splat(factor_source), term = vector_splat(term_source);
    Vector chain[KERNEL_CHAINS];
#pragma GCC unroll 12
    for (int k = 0; k < KERNEL_CHAINS; k++)
        chain[k] = vector_splat(factor_source * (float)k); /* each one different: equal chains would be computed once */
    for (size_t i = 0; i < steps; i++)
#pragma GCC unroll 12
        for (int k = 0; k < KERNEL_CHAINS; k++)
            chain[k] = chain[k] * factor + term;
    Vector sum = {0.0f};
    for (int k = 0; k < KERNEL_CHAINS; k++)
        sum += chain[k];
    return vector_sum(sum);
}

float
kernel_fma256(size_t steps)
{
    const Octet zero = {0.0f}, factor = zero + factor_source, term = zero + term_source;
    Octet chain[KERNEL_CHAINS];
#pragma GCC unroll 12
    for (int k = 0; k < KERNEL_CHAINS; k++)
        chain[k] = zero + factor_source * (float)k;
    for (size_t i = 0; i < steps; i++)
#pragma GCC unroll 12
        for (int k = 0; k < KERNEL_CHAINS; k++)
            chain[k] = chain[k] * factor + term;
    float lane[8], sum = 0.0f;
    for (int k = 1; k < KERNEL_CHAINS; k++)
        chain[0] += chain[k];
    octet_store(lane, chain[0]);
    for (int i = 0; i < 8; i++)
        sum += lane[i];
    return sum;
}

float
kernel_chain(size_t n, const float *a, const float *b)
{
    float sum = 0.0f;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

float
kernel_read(size_t n, const float *x)
{
    Vector sum[8] = {{0.0f}};
    for (size_t i = 0; i < n; i += 8 * VECTOR_LANES)
#pragma GCC unroll 8
        for (int k = 0; k < 8; k++)
            sum[k] += vector_load(x + i + (size_t)k * VECTOR_LANES);
    for (int k = 1; k < 8; k++)
        sum[0] += sum[k];
    return vector_sum(sum[0]);
}

void
kernel_triad(size_t n, float *restrict a, const float *restrict b, const float *restrict c, float s)
{
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}
