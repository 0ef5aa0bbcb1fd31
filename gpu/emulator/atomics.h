/* atomicAdd and the like. SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_ATOMICS_H
#define GPU_EMULATOR_ATOMICS_H

#include "gpu/emulator/vector_types.h"

/* Each returns what stood there before. They are functions of the library, not of this header: kernels are compiled with callbacks
 * at every access, and an atomic one must not look like two plain ones. */
#define EMULATOR_ATOMICS(T)                                                                                            \
    T atomicAdd(T *address, T value);                                                                                  \
    T atomicSub(T *address, T value);                                                                                  \
    T atomicMin(T *address, T value);                                                                                  \
    T atomicMax(T *address, T value);                                                                                  \
    T atomicAnd(T *address, T value);                                                                                  \
    T atomicOr(T *address, T value);                                                                                   \
    T atomicXor(T *address, T value);                                                                                  \
    T atomicExch(T *address, T value);                                                                                 \
    T atomicCAS(T *address, T expected, T value);

EMULATOR_ATOMICS(int)
EMULATOR_ATOMICS(unsigned)
EMULATOR_ATOMICS(unsigned long long)
float atomicAdd(float *address, float value);
double atomicAdd(double *address, double value);
float atomicExch(float *address, float value);
/* 0, 1, .., limit, 0, 1, .. and backwards. */
unsigned atomicInc(unsigned *address, unsigned limit);
unsigned atomicDec(unsigned *address, unsigned limit);

#endif
