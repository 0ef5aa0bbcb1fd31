/* The multiply-add of rungs 3 and 4: sum += a(k) b(k) + a(k+1) b(k+1) in every lane, for words of two bf16
 * (cpu/gemm/low_precision.h).
 *
 * vdpbf16ps of AVX-512 does so, in this order (Intel, Software Developer's Manual 2, VDPBF16PS; found to be so on Zen 5):
 *
 *     sum = fma(a.high, b.high, sum)      the second of the two first
 *     sum = fma(a.low,  b.low,  sum)
 *
 * with each of them rounded to the nearest, and with numbers below 2^-126 taken for zero, whether they come in or go out.
 * Whatever rounding mode or flush-to-zero the program has set is not looked at.
 *
 * Elsewhere the same two multiply-adds stand here, on floats that a shift and a mask make of the halves of a word; they know
 * numbers below 2^-126, and round twice where the processor has no fused multiply-add. Intrinsics: the one.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_BF16_PAIRS_H
#define CPU_GEMM_BF16_PAIRS_H

#include "cpu/gemm/low_precision.h"

/* On any processor. */
static inline Vector
pairs_multiply_add_emulated(Vector sum, Words a, Words b)
{
    const Words high = words_splat(0xffff0000);
    sum += (Vector)(a & high) * (Vector)(b & high);
    sum += (Vector)(a << 16) * (Vector)(b << 16);
    return sum;
}

static inline Vector
pairs_multiply_add(Vector sum, Words a, Words b)
{
#if defined(__AVX512BF16__) && VECTOR_BYTES == 64
    return (Vector)_mm512_dpbf16_ps((__m512)sum, (__m512bh)a, (__m512bh)b);
#else
    return pairs_multiply_add_emulated(sum, a, b);
#endif
}

#endif
