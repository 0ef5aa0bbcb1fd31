/* e^x in arithmetic alone: no call, no table and no branch, so that the compiler makes vector instructions of a loop over it.
 *
 *     x = n ln 2 + r with |r| <= ln 2 / 2:   e^x = 2^n e^r,   e^r by its Taylor polynomial of degree 7
 *
 * The first term left out, r^8 / 40320, is below 5.2e-9: a tenth of a unit in the last place of a float. ln 2 is subtracted in
 * two parts, the first of so few bits that n times it is exact (Cody and Waite 1980). What remains is rounding:
 * the relative error is below 2e-7, which tests/cpu/test_activation.c checks against the C library.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_EXP_H
#define CPU_EXP_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define EXP_LOW  -86.6F    /* results below 2.5e-38, about the smallest normal float, become 0 */
#define EXP_HIGH 88.72283F /* results above the largest float become infinite */

/* NaN gives NaN. */
static inline float
exp_polynomial(float x)
{
    const float inside = x > EXP_LOW ? (x < EXP_HIGH ? x : EXP_HIGH) : EXP_LOW; /* NaN becomes EXP_LOW for now */
    const float n = rintf(inside * 1.44269504F);                                /* 1 / ln 2 */
    const float r = (inside - n * 0.693359375F) + n * 2.12194440e-4F;           /* the difference is ln 2 */
    float e = 1.0F / 5040;
    e = e * r + 1.0F / 720;
    e = e * r + 1.0F / 120;
    e = e * r + 1.0F / 24;
    e = e * r + 1.0F / 6;
    e = e * r + 0.5F;
    e = e * r + 1.0F;
    e = e * r + 1.0F;
    /* 2^(n-1) is the float whose exponent bits are n - 1 + 127. 2^n would not do: n = 128 has no such bits. */
    const uint32_t bits = (uint32_t)((int32_t)n + 126) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    e = e * power * 2;
    return x < EXP_LOW ? 0 : x > EXP_HIGH ? INFINITY : x == x ? e : x;
}

#endif
