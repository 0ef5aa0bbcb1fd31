/* half: see gpu/emulator/narrow_float.h. SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_CUDA_FP16_H
#define GPU_EMULATOR_CUDA_FP16_H

#include "gpu/emulator/narrow_float.h"

EMULATOR_NARROW_TYPE(__half, __half2, half)
typedef __half half;
typedef __half2 half2;

/* clang-format off */
EMULATOR_INLINE half __float2half(float a) { return half(a); }
EMULATOR_INLINE half __float2half_rn(float a) { return half(a); }
EMULATOR_INLINE float __half2float(half a) { return a; }
EMULATOR_INLINE half2 __floats2half2_rn(float a, float b) { return half2{half(a), half(b)}; }
EMULATOR_INLINE half2 __float22half2_rn(float2 a) { return half2{half(a.x), half(a.y)}; }
EMULATOR_INLINE half2 __float2half2_rn(float a) { return half2{half(a), half(a)}; }
EMULATOR_INLINE float2 __half22float2(half2 a) { return float2{a.x, a.y}; }
EMULATOR_INLINE half2 __halves2half2(half a, half b) { return half2{a, b}; }
EMULATOR_INLINE half2 __half2half2(half a) { return half2{a, a}; }
EMULATOR_INLINE half2 make_half2(half a, half b) { return half2{a, b}; }
EMULATOR_INLINE half __low2half(half2 a) { return a.x; }
EMULATOR_INLINE half __high2half(half2 a) { return a.y; }
EMULATOR_INLINE unsigned short __half_as_ushort(half a) { return a.bits; }
EMULATOR_INLINE half __ushort_as_half(unsigned short a) { return emulator_as_half(a); }
/* clang-format on */

#endif
