/* Shuffles, votes and barriers, as kernels call them. SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_WARP_H
#define GPU_EMULATOR_WARP_H

#include "gpu/emulator/execution.h"
#include <string.h>

/* Macros, so that the place is known: a barrier that all threads reach must be one and the same. */
#define __syncthreads()                ((void)emulator_barrier(__FILE__, __LINE__, 0))
#define __syncthreads_count(predicate) (emulator_barrier(__FILE__, __LINE__, (predicate) != 0).predicates)
#define __syncthreads_or(predicate)    ((int)(emulator_barrier(__FILE__, __LINE__, (predicate) != 0).predicates > 0))
#define __syncthreads_and(predicate)   ((int)(emulator_barrier(__FILE__, __LINE__, (predicate) == 0).predicates == 0))

EMULATOR_INLINE void
__syncwarp(unsigned mask = 0xffffffffu)
{
    emulator_warp_sync(mask);
}

template <typename T>
__attribute__((always_inline)) inline T
emulator_shuffled(WarpOperation operation, unsigned mask, T value, int argument, int width)
{
    static_assert(sizeof(T) <= sizeof(uint64_t) && std::is_trivially_copyable<T>::value,
                  "no shuffle accepts this type");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(value));
    bits = emulator_shuffle(operation, mask, bits, argument, width);
    memcpy((void *)&value, &bits, sizeof(value));
    return value;
}

#define EMULATOR_SHUFFLE(name, operation, Argument)                                                                    \
    template <typename T>                                                                                              \
    __attribute__((always_inline)) inline T name(unsigned mask, T value, Argument argument, int width = 32)            \
    {                                                                                                                  \
        return emulator_shuffled(operation, mask, value, (int)argument, width);                                        \
    }
EMULATOR_SHUFFLE(__shfl_sync, WARP_SHUFFLE, int)
EMULATOR_SHUFFLE(__shfl_up_sync, WARP_SHUFFLE_UP, unsigned)
EMULATOR_SHUFFLE(__shfl_down_sync, WARP_SHUFFLE_DOWN, unsigned)
EMULATOR_SHUFFLE(__shfl_xor_sync, WARP_SHUFFLE_XOR, int)

EMULATOR_INLINE unsigned
__ballot_sync(unsigned mask, int predicate)
{
    return emulator_vote(mask, predicate != 0).yes;
}

EMULATOR_INLINE int
__any_sync(unsigned mask, int predicate)
{
    return emulator_vote(mask, predicate != 0).yes != 0;
}

EMULATOR_INLINE int
__all_sync(unsigned mask, int predicate)
{
    const EmulatorVotes votes = emulator_vote(mask, predicate != 0);
    return votes.yes == votes.present;
}

EMULATOR_INLINE unsigned
__activemask()
{
    return emulator_active_mask();
}

template <typename T>
__attribute__((always_inline)) inline unsigned
__match_any_sync(unsigned mask, T value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(value));
    return emulator_match(mask, bits);
}

EMULATOR_INLINE void
__threadfence()
{
    emulator_fence();
}

EMULATOR_INLINE void
__threadfence_block()
{
    emulator_fence();
}

EMULATOR_INLINE void
__nanosleep(unsigned)
{
    emulator_fence();
}

#endif
