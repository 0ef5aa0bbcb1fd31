/* bf16: the upper half of a float, with its sign, its 8 bits of exponent, and 7 of its 23 bits of fraction. It reaches as far
 * as a float does, with two to three decimal digits.
 *
 *     float   s eeeeeeee fffffff ffffffffffffffff
 *     bf16    s eeeeeeee fffffff
 *
 * SPDX-License-Identifier: MIT */
#ifndef CORE_BF16_H
#define CORE_BF16_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint16_t Bf16; /* the bits: no type for arithmetic */

/* Exact. */
static inline float
bf16_to_float(Bf16 x)
{
    const uint32_t bits = (uint32_t)x << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Rounds to nearest, ties to even; beyond the largest to infinity. NaN stays NaN: its
 * upper bits might all be 0, which would be infinity, so one is set. Numbers below 2^-126 are rounded like all others, not to
 * zero. */
static inline Bf16
bf16_from_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
    return (Bf16)((bits & 0x7fffffff) > 0x7f800000 ? bits >> 16 | 0x40 : rounded >> 16);
}

/* The same for n numbers: no branches, so the compiler vectorises it. */
static inline void
bf16_from_floats(Bf16 *restrict to, const float *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = bf16_from_float(from[i]);
}

static inline void
bf16_to_floats(float *restrict to, const Bf16 *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = bf16_to_float(from[i]);
}

#endif
