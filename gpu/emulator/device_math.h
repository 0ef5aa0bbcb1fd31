/* Arithmetic that CUDA has and the C library has not. The fast ones (__expf) are the accurate ones here: their errors are
 * smaller than a device's. SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_DEVICE_MATH_H
#define GPU_EMULATOR_DEVICE_MATH_H

#include "gpu/emulator/vector_types.h"
#include <cmath>
#include <cstdlib>
#include <stdint.h>
#include <string.h>

/* clang-format off */
/* Rounded on their own, never fused with a neighbour: functions of the library (device_math.cpp), where the compiler must not. */
float __fadd_rn(float a, float b);
float __fsub_rn(float a, float b);
float __fmul_rn(float a, float b);
double __dadd_rn(double a, double b);
double __dmul_rn(double a, double b);

EMULATOR_INLINE float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
EMULATOR_INLINE double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
EMULATOR_INLINE float __fdiv_rn(float a, float b) { return a / b; }
EMULATOR_INLINE float __fdividef(float a, float b) { return a / b; }
EMULATOR_INLINE float __frcp_rn(float a) { return 1.0f / a; }
EMULATOR_INLINE float __fsqrt_rn(float a) { return sqrtf(a); }
EMULATOR_INLINE float __frsqrt_rn(float a) { return (float)(1.0 / sqrt((double)a)); }
EMULATOR_INLINE float emulator_rsqrtf(float a) { return (float)(1.0 / sqrt((double)a)); }
EMULATOR_INLINE double emulator_rsqrt(double a) { return 1.0 / sqrt(a); }
/* The C library has some of these names for itself, so they are macros. */
#define rsqrtf(a) emulator_rsqrtf(a)
#define rsqrt(a) emulator_rsqrt(a)
#define __expf(a) expf(a)
#define __exp10f(a) exp10f(a)
#define __logf(a) logf(a)
#define __log2f(a) log2f(a)
#define __log10f(a) log10f(a)
#define __powf(a, b) powf(a, b)
#define __sinf(a) sinf(a)
#define __cosf(a) cosf(a)
#define __tanf(a) tanf(a)
#define __tanhf(a) tanhf(a)
EMULATOR_INLINE float __saturatef(float a) { return a > 0 ? (a < 1 ? a : 1) : 0; } /* NaN gives 0 */

/* The smaller and the larger one, for each type that CUDA has them for. */
#define EMULATOR_MIN_MAX(T)                                                                                            \
    EMULATOR_INLINE T min(T a, T b) { return b < a ? b : a; }                                                          \
    EMULATOR_INLINE T max(T a, T b) { return a < b ? b : a; }
EMULATOR_MIN_MAX(int)
EMULATOR_MIN_MAX(unsigned)
EMULATOR_MIN_MAX(long)
EMULATOR_MIN_MAX(unsigned long)
EMULATOR_MIN_MAX(long long)
EMULATOR_MIN_MAX(unsigned long long)
EMULATOR_INLINE unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
EMULATOR_INLINE unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
EMULATOR_INLINE unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
EMULATOR_INLINE unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
EMULATOR_INLINE float min(float a, float b) { return fminf(a, b); } /* of a number and NaN, the number */
EMULATOR_INLINE float max(float a, float b) { return fmaxf(a, b); }
EMULATOR_INLINE double min(double a, double b) { return fmin(a, b); }
EMULATOR_INLINE double max(double a, double b) { return fmax(a, b); }

/* ---- bits -------------------------------------------------------------------------------------------- */

EMULATOR_INLINE int __popc(unsigned a) { return __builtin_popcount(a); }
EMULATOR_INLINE int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
EMULATOR_INLINE int __ffs(int a) { return __builtin_ffs(a); }
EMULATOR_INLINE int __ffsll(long long a) { return __builtin_ffsll(a); }
EMULATOR_INLINE int __clz(int a) { return a == 0 ? 32 : __builtin_clz((unsigned)a); }
EMULATOR_INLINE int __clzll(long long a) { return a == 0 ? 64 : __builtin_clzll((unsigned long long)a); }
EMULATOR_INLINE unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
EMULATOR_INLINE int __mulhi(int a, int b) { return (int)((int64_t)a * b >> 32); }
EMULATOR_INLINE unsigned
__brev(unsigned a)
{
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; bit++)
        reversed |= (a >> bit & 1) << (31 - bit);
    return reversed;
}

#define EMULATOR_BITS(name, To, From)                                                                                  \
    EMULATOR_INLINE To name(From value)                                                                                \
    {                                                                                                                  \
        To bits;                                                                                                       \
        memcpy(&bits, &value, sizeof(bits));                                                                           \
        return bits;                                                                                                   \
    }
EMULATOR_BITS(__float_as_int, int, float)
EMULATOR_BITS(__float_as_uint, unsigned, float)
EMULATOR_BITS(__int_as_float, float, int)
EMULATOR_BITS(__uint_as_float, float, unsigned)
EMULATOR_BITS(__double_as_longlong, long long, double)
EMULATOR_BITS(__longlong_as_double, double, long long)

/* To nearest, towards zero, down and up; what does not fit becomes the nearest that does, and NaN becomes 0. */
EMULATOR_INLINE int
emulator_to_int(float a)
{
    return a >= 2147483648.0f ? 2147483647 : a <= -2147483648.0f ? -2147483647 - 1 : a == a ? (int)a : 0;
}
EMULATOR_INLINE int __float2int_rn(float a) { return emulator_to_int(rintf(a)); }
EMULATOR_INLINE int __float2int_rz(float a) { return emulator_to_int(truncf(a)); }
EMULATOR_INLINE int __float2int_rd(float a) { return emulator_to_int(floorf(a)); }
EMULATOR_INLINE int __float2int_ru(float a) { return emulator_to_int(ceilf(a)); }
EMULATOR_INLINE float __int2float_rn(int a) { return (float)a; }

/* A load through the read-only cache: a load. */
template <typename T>
__attribute__((always_inline)) inline T
__ldg(const T *address)
{
    return *address;
}

/* clang-format on */

#endif
