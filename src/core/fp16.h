/* fp16, the half-precision float of IEEE 754-2008 (binary16): 5 bits of exponent, 10 of fraction. It holds three to four decimal
 * digits, from 2^-24 to 65504; what is larger becomes infinite, what is smaller 0.
 *
 *     float   s eeeeeeee fffffffffffffffffffffff
 *     fp16    s eeeee ffffffffff
 *
 * SPDX-License-Identifier: MIT */
#ifndef CORE_FP16_H
#define CORE_FP16_H

#include <stdint.h>
#include <string.h>

typedef uint16_t Fp16; /* the bits: no type for arithmetic */

/* Exact. A float whose exponent is 112 too small holds the same digits, also of numbers below 2^-14, which have no leading 1:
 * one multiplication by 2^112 puts all of them right. */
static inline float
fp16_to_float(Fp16 x)
{
    const uint32_t digits = (uint32_t)(x & 0x7fff) << 13, sign = (uint32_t)(x & 0x8000) << 16;
    uint32_t bits;
    float value;
    memcpy(&value, &digits, sizeof value);
    value *= 0x1p112F;
    memcpy(&bits, &value, sizeof bits);
    bits |= sign | (digits >= 0x0f800000 ? 0x7f800000 : 0); /* an exponent of 31: infinite or NaN */
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Rounds to nearest, ties to even; 65520 and more to infinity. NaN stays NaN. */
static inline Fp16
fp16_from_float(float x)
{
    uint32_t bits, small_bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (size >= 0x47800000) /* 2^16, infinite, NaN */
        return (Fp16)(sign | (size > 0x7f800000 ? 0x7e00 : 0x7c00));
    if (size <
        0x38800000) { /* below 2^-14: 0.5's last digit is 2^-24, fp16's smallest number, so the addition rounds to it */
        float small;
        memcpy(&small, &size, sizeof small);
        small += 0.5F;
        memcpy(&small_bits, &small, sizeof small_bits);
        return (Fp16)(sign | (small_bits - 0x3f000000));
    }
    return (Fp16)(sign | ((size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13));
}

#endif
