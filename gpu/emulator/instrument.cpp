/* The callbacks that the compiler puts into kernels.
 *
 * -fsanitize=thread calls __tsan_read4(address) and the like before each access to memory, -fsanitize-coverage=trace-pc calls
 * __sanitizer_cov_trace_pc() at the beginning of each basic block. Kernels are compiled with both, but linked without the
 * sanitizers' libraries: the functions here take their place, and nothing of what they would do is done. Names: GCC 12,
 * gcc/tsan.cc and gcc/sancov.cc; LLVM, ThreadSanitizer.cpp.
 *
 * This file is compiled without the options.
 * SPDX-License-Identifier: MIT */
#include "gpu/emulator/checks.h"
#include "gpu/emulator/counters_log.h"

#define CALLER __builtin_return_address(0)
#define EXPORT extern "C" __attribute__((visibility("default"))) void

void
instrument_host(uintptr_t address, const void *pc)
{
    Callers callers = {};
    callers.pcs[callers.count++] = const_cast<void *>(pc);
    place_host_access(address, &callers);
}

/* Most accesses are to the thread's own variables, which no other thread can reach. */
static inline __attribute__((always_inline)) void
seen(const volatile void *address, size_t bytes, AccessKind kind, bool whole, const void *pc)
{
    const Thread *thread = emulator_thread;
    const uintptr_t at = (uintptr_t)address;
    if (thread == NULL) {
        if (at - (uintptr_t)emulator_memory < emulator_memory_size)
            instrument_host(at, pc);
        return;
    }
    if (at - (uintptr_t)thread->stack_begin < (uintptr_t)thread->stack_end - (uintptr_t)thread->stack_begin)
        return;
    const Access access = {at, bytes, kind, whole, pc};
    place_access(&access);
}

/* name, bytes: the plain, volatile and unaligned ones, read, written, and read then written. */
#define CALLBACKS(bytes)                                                                                               \
    EXPORT __tsan_read##bytes(void *at)                                                                                \
    {                                                                                                                  \
        seen(at, bytes, ACCESS_READ, true, CALLER);                                                                    \
    }                                                                                                                  \
    EXPORT __tsan_write##bytes(void *at)                                                                               \
    {                                                                                                                  \
        seen(at, bytes, ACCESS_WRITE, true, CALLER);                                                                   \
    }                                                                                                                  \
    EXPORT __tsan_volatile_read##bytes(void *at)                                                                       \
    {                                                                                                                  \
        seen(at, bytes, ACCESS_READ, true, CALLER);                                                                    \
    }                                                                                                                  \
    EXPORT __tsan_volatile_write##bytes(void *at)                                                                      \
    {                                                                                                                  \
        seen(at, bytes, ACCESS_WRITE, true, CALLER);                                                                   \
    }                                                                                                                  \
    EXPORT __tsan_unaligned_read##bytes(void *at)                                                                      \
    {                                                                                                                  \
        seen(at, bytes, ACCESS_READ, false, CALLER);                                                                   \
    }                                                                                                                  \
    EXPORT __tsan_unaligned_write##bytes(void *at)                                                                     \
    {                                                                                                                  \
        seen(at, bytes, ACCESS_WRITE, false, CALLER);                                                                  \
    }                                                                                                                  \
    EXPORT __tsan_read_write##bytes(void *at)                                                                          \
    {                                                                                                                  \
        seen(at, bytes, ACCESS_READ, true, CALLER);                                                                    \
        seen(at, bytes, ACCESS_WRITE, true, CALLER);                                                                   \
    }                                                                                                                  \
    EXPORT __tsan_unaligned_read_write##bytes(void *at)                                                                \
    {                                                                                                                  \
        seen(at, bytes, ACCESS_READ, false, CALLER);                                                                   \
        seen(at, bytes, ACCESS_WRITE, false, CALLER);                                                                  \
    }

/* clang-format off */
CALLBACKS(1) CALLBACKS(2) CALLBACKS(4) CALLBACKS(8) CALLBACKS(16)
    /* clang-format on */

    /* Structs, and copies of known size. */
    EXPORT __tsan_read_range(void *at, size_t bytes)
{
    seen(at, bytes, ACCESS_READ, false, CALLER);
}

EXPORT
__tsan_write_range(void *at, size_t bytes)
{
    seen(at, bytes, ACCESS_WRITE, false, CALLER);
}

EXPORT
__tsan_init()
{
}

EXPORT
__tsan_vptr_update(void **, void *)
{
}

EXPORT
__tsan_vptr_read(void **)
{
}

EXPORT
__tsan_func_entry(void *)
{
    if (emulator_thread != NULL)
        log_function_entry();
}

EXPORT
__tsan_func_exit()
{
    if (emulator_thread != NULL)
        log_function_exit();
}

EXPORT
__sanitizer_cov_trace_pc()
{
    if (emulator_thread != NULL)
        log_basic_block(CALLER);
}

/* clang-format off */
/* Builtins for atomic operations (__atomic_fetch_add ..) also become calls, and the call must do the operation. */
#define ATOMICS(bits, T)                                                                                               \
    extern "C" T __tsan_atomic##bits##_load(const volatile T *at, int)                                                 \
    {                                                                                                                  \
        seen(at, sizeof(T), ACCESS_ATOMIC, true, CALLER);                                                              \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                                  \
    }                                                                                                                  \
    extern "C" void __tsan_atomic##bits##_store(volatile T *at, T value, int)                                          \
    {                                                                                                                  \
        seen(at, sizeof(T), ACCESS_ATOMIC, true, CALLER);                                                              \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                                 \
    }                                                                                                                  \
    extern "C" T __tsan_atomic##bits##_compare_exchange_val(volatile T *at, T expected, T value, int, int)             \
    {                                                                                                                  \
        seen(at, sizeof(T), ACCESS_ATOMIC, true, CALLER);                                                              \
        __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                  \
        return expected;                                                                                               \
    }                                                                                                                  \
    EXCHANGE(bits, T, strong)                                                                                          \
    EXCHANGE(bits, T, weak)                                                                                            \
    FETCH(bits, T, exchange, __atomic_exchange_n)                                                                      \
    FETCH(bits, T, fetch_add, __atomic_fetch_add)                                                                      \
    FETCH(bits, T, fetch_sub, __atomic_fetch_sub)                                                                      \
    FETCH(bits, T, fetch_and, __atomic_fetch_and)                                                                      \
    FETCH(bits, T, fetch_or, __atomic_fetch_or)                                                                        \
    FETCH(bits, T, fetch_xor, __atomic_fetch_xor)                                                                      \
    FETCH(bits, T, fetch_nand, __atomic_fetch_nand)

#define EXCHANGE(bits, T, strength)                                                                                    \
    extern "C" int __tsan_atomic##bits##_compare_exchange_##strength(volatile T *at, T *expected, T value, int, int)   \
    {                                                                                                                  \
        seen(at, sizeof(T), ACCESS_ATOMIC, true, CALLER);                                                              \
        return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);            \
    }

#define FETCH(bits, T, name, operation)                                                                                \
    extern "C" T __tsan_atomic##bits##_##name(volatile T *at, T value, int)                                            \
    {                                                                                                                  \
        seen(at, sizeof(T), ACCESS_ATOMIC, true, CALLER);                                                              \
        return operation(at, value, __ATOMIC_SEQ_CST);                                                                 \
    }

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
/* clang-format on */

EXPORT
__tsan_atomic_thread_fence(int)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

EXPORT
__tsan_atomic_signal_fence(int)
{
}
