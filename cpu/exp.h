/* e^x of a vector in arithmetic alone: no call, no table and no branch.
 *
 *     x = n ln 2 + r with |r| <= ln 2 / 2:   e^x = 2^n e^r,   e^r by a polynomial of degree 6
 *
 * n         x / ln 2 rounded to a whole number by adding 1.5 x 2^23, behind whose last bit a float has no digits. n then stands in
 *           the lowest bits of the sum, and a shift makes an exponent of it: 2^n without a conversion.
 * r         ln 2 is subtracted in two parts, the first of so few bits that n times it is exact (Cody and Waite 1980).
 * e^r       1 + r + r^2 q(r), where q makes the largest relative error smallest: 3.1e-9, a twentieth of a unit in the last place of
 *           a float. The Taylor polynomial needs degree 7 for that.
 *
 * What remains is rounding: the relative error is below 2e-7, which tests/cpu/test_activation.c checks against the C library.
 * SPDX-License-Identifier: MIT */
#ifndef CPU_EXP_H
#define CPU_EXP_H

#include "core/vector.h"

/* e^x = half (2 + rest): half is 2^(n-1), rest 2 (e^r - 1). 2^n would not do: n = 128 has no exponent bits. */
typedef struct ExpParts {
    Vector half, rest;
} ExpParts;

/* For -87.5 <= x <= 89, or NaN. */
static inline ExpParts
exp_parts_inside(Vector inside)
{
    const float shift = 12582912.0F + 126;               /* the bits of a float's exponent are 126 for 2^-1 */
    const Vector shifted = inside * 1.44269504F + shift; /* 1 / ln 2 */
    const Vector n = shifted - shift;
    const Vector r = (inside - n * 0.693359375F) + n * 2.12194440e-4F; /* the difference is ln 2 */
    Vector q = r * (2 * 0.00138145401F) + 2 * 0.00836874521F;
    q = q * r + 2 * 0.0416683908F;
    q = q * r + 2 * 0.166665204F;
    q = q * r + 2 * 0.499999934F;
    q = q * r + 2;
    return (ExpParts){(Vector)((VectorMask)shifted << 23), q * r};
}

/* Results below 1.7e-38, about the smallest normal float, have half = 0; those above the largest float are infinite. NaN stays: it
 * passes through larger and smaller (core/vector.h). */
static inline ExpParts
exp_parts(Vector x)
{
    return exp_parts_inside(vector_smaller(vector_larger(x, vector_splat(-87.5F)), vector_splat(89.0F)));
}

static inline Vector
exp_vector(Vector x)
{
    const ExpParts e = exp_parts(x);
    return e.half * (e.rest + 2);
}

/* The same for x <= 0 or NaN: one instruction less. */
static inline Vector
exp_of_negative(Vector x)
{
    const ExpParts e = exp_parts_inside(vector_larger(x, vector_splat(-87.5F)));
    return e.half * (e.rest + 2);
}

#endif
