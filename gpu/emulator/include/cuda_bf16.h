/* __nv_bfloat16: see gpu/emulator/narrow_float.h. SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_CUDA_BF16_H
#define GPU_EMULATOR_CUDA_BF16_H

#include "gpu/emulator/narrow_float.h"

EMULATOR_NARROW_TYPE(__nv_bfloat16, __nv_bfloat162, bfloat)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

/* clang-format off */
EMULATOR_INLINE __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
EMULATOR_INLINE __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
EMULATOR_INLINE float __bfloat162float(__nv_bfloat16 a) { return a; }
EMULATOR_INLINE __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {__nv_bfloat16(a), __nv_bfloat16(b)}; }
EMULATOR_INLINE __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __floats2bfloat162_rn(a.x, a.y); }
EMULATOR_INLINE __nv_bfloat162 __float2bfloat162_rn(float a) { return __floats2bfloat162_rn(a, a); }
EMULATOR_INLINE float2 __bfloat1622float2(__nv_bfloat162 a) { return float2{a.x, a.y}; }
EMULATOR_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162{a, b}; }
EMULATOR_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162{a, a}; }
EMULATOR_INLINE __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162{a, b}; }
EMULATOR_INLINE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
EMULATOR_INLINE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
EMULATOR_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.bits; }
EMULATOR_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return emulator_as_bfloat(a); }
/* clang-format on */

#endif
