/* 16-bit floating point numbers, for cuda_fp16.h and cuda_bf16.h.
 *
 *               sign  exponent  fraction
 *     half        1       5        10       up to 65504, steps of 2^-24 near 0
 *     bfloat16    1       8         7       the upper half of a float
 *
 * Of a number and NaN the larger and the smaller one is the number; 0 counts as larger than -0.
 * Conversions round to nearest, ties to even; they are functions of the library. Sums, products and quotients are taken in
 * float and rounded once more, which gives the correctly rounded ones: a float has more than twice as many bits, and 2
 * (Figueroa, "When is double rounding innocuous?", 1995). Fused operations go through narrow_float.cpp.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_NARROW_FLOAT_H
#define GPU_EMULATOR_NARROW_FLOAT_H

#include "gpu/emulator/vector_types.h"
#include <cmath>

__attribute__((const)) unsigned short emulator_half_bits(float value);
__attribute__((const)) float emulator_half_value(unsigned short bits);
__attribute__((const)) unsigned short emulator_bfloat_bits(float value);
__attribute__((const)) float emulator_bfloat_value(unsigned short bits);
__attribute__((const)) unsigned short emulator_half_fma(unsigned short a, unsigned short b, unsigned short c);
__attribute__((const)) unsigned short emulator_bfloat_fma(unsigned short a, unsigned short b, unsigned short c);

/* clang-format off */

/* T: the number; T2: two of them, loaded at once; kind: half or bfloat. */
#define EMULATOR_NARROW_TYPE(T, T2, kind)                                                                              \
    typedef struct T {                                                                                                 \
        unsigned short bits;                                                                                           \
        T() = default;                                                                                                 \
        T(float value) : bits(emulator_##kind##_bits(value)) {}                                                        \
        T(double value) : bits(emulator_##kind##_bits((float)value)) {}                                                \
        T(int value) : bits(emulator_##kind##_bits((float)value)) {}                                                   \
        operator float() const { return emulator_##kind##_value(bits); }                                               \
    } T;                                                                                                               \
    typedef struct alignas(4) T2 {                                                                                     \
        T x, y;                                                                                                        \
    } T2;                                                                                                              \
    EMULATOR_INLINE T emulator_as_##kind(unsigned short bits) { T value; value.bits = bits; return value; }            \
    EMULATOR_INLINE T __hfma(T a, T b, T c) { return emulator_as_##kind(emulator_##kind##_fma(a.bits, b.bits, c.bits)); } \
    EMULATOR_NARROW_OPERATIONS(T, T2)                                                                                  \
    EMULATOR_NARROW_PAIRS(T, T2)

#define EMULATOR_NARROW_OPERATIONS(T, T2)                                                                              \
    EMULATOR_INLINE T operator+(T a, T b) { return T((float)a + (float)b); }                                           \
    EMULATOR_INLINE T operator-(T a, T b) { return T((float)a - (float)b); }                                           \
    EMULATOR_INLINE T operator*(T a, T b) { return T((float)a * (float)b); }                                           \
    EMULATOR_INLINE T operator/(T a, T b) { return T((float)a / (float)b); }                                           \
    EMULATOR_INLINE T operator-(T a) { a.bits ^= 0x8000; return a; }                                                   \
    EMULATOR_INLINE T &operator+=(T &a, T b) { return a = a + b; }                                                     \
    EMULATOR_INLINE T &operator-=(T &a, T b) { return a = a - b; }                                                     \
    EMULATOR_INLINE T &operator*=(T &a, T b) { return a = a * b; }                                                     \
    EMULATOR_INLINE bool operator<(T a, T b) { return (float)a < (float)b; }                                           \
    EMULATOR_INLINE bool operator>(T a, T b) { return (float)a > (float)b; }                                           \
    EMULATOR_INLINE bool operator<=(T a, T b) { return (float)a <= (float)b; }                                         \
    EMULATOR_INLINE bool operator>=(T a, T b) { return (float)a >= (float)b; }                                         \
    EMULATOR_INLINE bool operator==(T a, T b) { return (float)a == (float)b; }                                         \
    EMULATOR_INLINE bool operator!=(T a, T b) { return (float)a != (float)b; }                                         \
    EMULATOR_INLINE T __hadd(T a, T b) { return a + b; }                                                               \
    EMULATOR_INLINE T __hsub(T a, T b) { return a - b; }                                                               \
    EMULATOR_INLINE T __hmul(T a, T b) { return a * b; }                                                               \
    EMULATOR_INLINE T __hdiv(T a, T b) { return a / b; }                                                               \
    EMULATOR_INLINE T __hneg(T a) { return -a; }                                                                       \
    EMULATOR_INLINE T __habs(T a) { a.bits &= 0x7fff; return a; }                                                      \
    EMULATOR_INLINE T __hmax(T a, T b)                                                                                 \
    {                                                                                                                  \
        if (a == b)                                                                                                    \
            a.bits &= b.bits;                                                                                          \
        return a != a || a < b ? b : a;                                                                                \
    }                                                                                                                  \
    EMULATOR_INLINE T __hmin(T a, T b)                                                                                 \
    {                                                                                                                  \
        if (a == b)                                                                                                    \
            a.bits |= b.bits;                                                                                          \
        return a != a || b < a ? b : a;                                                                                \
    }                                                                                                                  \
    EMULATOR_INLINE bool __hlt(T a, T b) { return a < b; }                                                             \
    EMULATOR_INLINE bool __hgt(T a, T b) { return a > b; }                                                             \
    EMULATOR_INLINE bool __hle(T a, T b) { return a <= b; }                                                            \
    EMULATOR_INLINE bool __hge(T a, T b) { return a >= b; }                                                            \
    EMULATOR_INLINE bool __heq(T a, T b) { return a == b; }                                                            \
    EMULATOR_INLINE bool __hne(T a, T b) { return a != b; }                                                            \
    EMULATOR_INLINE bool __hisnan(T a) { return a != a; }

#define EMULATOR_NARROW_PAIRS(T, T2)                                                                                   \
    EMULATOR_INLINE T2 __hadd2(T2 a, T2 b) { return T2{a.x + b.x, a.y + b.y}; }                                        \
    EMULATOR_INLINE T2 __hsub2(T2 a, T2 b) { return T2{a.x - b.x, a.y - b.y}; }                                        \
    EMULATOR_INLINE T2 __hmul2(T2 a, T2 b) { return T2{a.x * b.x, a.y * b.y}; }                                        \
    EMULATOR_INLINE T2 __h2div(T2 a, T2 b) { return T2{a.x / b.x, a.y / b.y}; }                                        \
    EMULATOR_INLINE T2 __hneg2(T2 a) { return T2{-a.x, -a.y}; }                                                        \
    EMULATOR_INLINE T2 __hmax2(T2 a, T2 b) { return T2{__hmax(a.x, b.x), __hmax(a.y, b.y)}; }                          \
    EMULATOR_INLINE T2 __hmin2(T2 a, T2 b) { return T2{__hmin(a.x, b.x), __hmin(a.y, b.y)}; }                          \
    EMULATOR_INLINE T2 __hfma2(T2 a, T2 b, T2 c) { return T2{__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }          \
    EMULATOR_INLINE T2 operator+(T2 a, T2 b) { return __hadd2(a, b); }                                                 \
    EMULATOR_INLINE T2 operator-(T2 a, T2 b) { return __hsub2(a, b); }                                                 \
    EMULATOR_INLINE T2 operator*(T2 a, T2 b) { return __hmul2(a, b); }                                                 \
    EMULATOR_INLINE T2 operator/(T2 a, T2 b) { return __h2div(a, b); }                                                 \
    EMULATOR_INLINE float __low2float(T2 a) { return a.x; }                                                            \
    EMULATOR_INLINE float __high2float(T2 a) { return a.y; }

/* clang-format on */

#endif
