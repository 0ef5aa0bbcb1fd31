/* The multiply-add of rungs 3 and 4: sum += a(k) b(k) + .. + a(k+3) b(k+3) in every lane, modulo 2^32, for words of four bytes
 * (cpu/gemm/low_precision.h), those of a unsigned, those of b signed.
 *
 * vpdpbusd of AVX-512 VNNI and AVX-VNNI does so; its four products are added in full, without a limit at 16 bits. Elsewhere:
 *
 *     x86      bytes 0 and 2 of each word, then 1 and 3, widened to 16 bits; vpmaddwd multiplies these and adds them in pairs
 *     others   byte by byte, on 32 bits
 *
 * SPDX-License-Identifier: MIT */
#ifndef CPU_GEMM_INT8_QUADS_H
#define CPU_GEMM_INT8_QUADS_H

#include "cpu/gemm/low_precision.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* On any processor. */
static inline Words
quads_multiply_add_emulated(Words sum, Words a, Words b)
{
    for (int byte = 0; byte < 4; byte++) {
        const VectorMask high = (VectorMask)(b << (24 - 8 * byte));
        sum +=
            (a >> 8 * byte & 255) * (Words)(high >> 24); /* a shift to the right of a signed number repeats its sign */
    }
    return sum;
}

#if defined(__SSE2__)
#if defined(__AVX512BW__) && VECTOR_BYTES == 64
#define MULTIPLY_PAIRS(a, b) ((Words)_mm512_madd_epi16((__m512i)(a), (__m512i)(b)))
#elif defined(__AVX2__) && VECTOR_BYTES == 32
#define MULTIPLY_PAIRS(a, b) ((Words)_mm256_madd_epi16((__m256i)(a), (__m256i)(b)))
#elif VECTOR_BYTES == 16
#define MULTIPLY_PAIRS(a, b) ((Words)_mm_madd_epi16((__m128i)(a), (__m128i)(b)))
#endif
#endif

#if defined(MULTIPLY_PAIRS)
typedef int16_t Shorts __attribute__((vector_size(VECTOR_BYTES)));

/* By 16-bit halves: a product is at most 255 * 128, the sum of two fits in 32 bits. */
static inline Words
quads_multiply_add_by_halves(Words sum, Words a, Words b)
{
    const Words low = words_splat(0x00ff00ff);
    sum += MULTIPLY_PAIRS(a & low, (Shorts)(b << 8) >> 8);
    sum += MULTIPLY_PAIRS(a >> 8 & low, (Shorts)b >> 8);
    return sum;
}
#endif

static inline Words
quads_multiply_add(Words sum, Words a, Words b)
{
#if defined(__AVX512VNNI__) && VECTOR_BYTES == 64
    return (Words)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)a, (__m512i)b);
#elif defined(__AVXVNNI__) && VECTOR_BYTES == 32
    return (Words)_mm256_dpbusd_avx_epi32((__m256i)sum, (__m256i)a, (__m256i)b);
#elif defined(MULTIPLY_PAIRS)
    return quads_multiply_add_by_halves(sum, a, b);
#else
    return quads_multiply_add_emulated(sum, a, b);
#endif
}

#endif
