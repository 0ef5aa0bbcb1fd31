/* Atomics: blocks run on several workers, so they are the processor's own. SPDX-License-Identifier: MIT */
#include "gpu/emulator/atomics.h"
#include "gpu/emulator/block.h"

static void
tell(void *address, size_t bytes, void *pc)
{
    EMULATOR_TELL(atomic, address, bytes, pc);
    if (emulator_thread != NULL)
        block_spin();
}

/* old -> next(old), again if somebody else was faster. Wide enough loads and stores are single ones. */
template <typename T, typename Next>
static T
change(T *address, Next next, void *pc)
{
    tell(address, sizeof(T), pc);
    T old, wanted;
    __atomic_load(address, &old, __ATOMIC_ACQUIRE);
    do {
        wanted = next(old);
    } while (!__atomic_compare_exchange(address, &old, &wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return old;
}

#define ATOMIC(T, name, expression)                                                                                    \
    T name(T *address, T value)                                                                                        \
    {                                                                                                                  \
        return change(                                                                                                 \
            address, [=](T old) { return expression; }, __builtin_return_address(0));                                  \
    }

#define ATOMICS(T)                                                                                                     \
    ATOMIC(T, atomicAdd, (T)((unsigned long long)old + (unsigned long long)value))                                     \
    ATOMIC(T, atomicSub, (T)((unsigned long long)old - (unsigned long long)value))                                     \
    ATOMIC(T, atomicMin, old < value ? old : value)                                                                    \
    ATOMIC(T, atomicMax, old < value ? value : old)                                                                    \
    ATOMIC(T, atomicAnd, (T)(old & value))                                                                             \
    ATOMIC(T, atomicOr, (T)(old | value))                                                                              \
    ATOMIC(T, atomicXor, (T)(old ^ value))                                                                             \
    ATOMIC(T, atomicExch, ((void)old, value))                                                                          \
    T atomicCAS(T *address, T expected, T value)                                                                       \
    {                                                                                                                  \
        return change(                                                                                                 \
            address, [=](T old) { return old == expected ? value : old; }, __builtin_return_address(0));               \
    }

ATOMICS(int)
ATOMICS(unsigned)
ATOMICS(unsigned long long)
ATOMIC(float, atomicAdd, old + value)
ATOMIC(double, atomicAdd, old + value)
ATOMIC(float, atomicExch, ((void)old, value))
ATOMIC(unsigned, atomicInc, old >= value ? 0 : old + 1)
ATOMIC(unsigned, atomicDec, old == 0 || old > value ? value : old - 1)

void
emulator_fence()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (emulator_thread == NULL)
        return;
    EMULATOR_TELL(fence);
    block_spin();
}
