/* What the emulator reports to an observer. Execution (execution.cpp, memory.cpp) calls, the checks fill.
 *
 *     plain library     emulator_observer is all NULL (no_observer.cpp): nothing is told
 *     checked library   emulator_observer is the checks' (checks.cpp); kernels are compiled with callbacks at every access
 *
 * In the checked library all calls come from one operating-system thread, the one that launches, and blocks run one after the
 * other. The order of calls:
 *
 *     allocated, written_by_host ..
 *     launch_begin
 *       block_begin
 *         shared_declared    when the first thread of the block comes to the declaration, once for each array
 *         thread_begin       when a thread runs for the first time; emulator_thread is that thread
 *         accesses (instrument.cpp), access, atomic, fence, warp_barrier, barrier .. in the order in which they happen
 *         thread_end
 *       block_end
 *       ..
 *     launch_end             also after emulator_stop; the block that was stopped gets no thread_end for its unfinished threads
 *     read_by_host, freed, released
 *
 * Variables of the library itself (__constant__, __device__, tables of constants) are neither host nor device memory: kernels may
 * read them. An access belongs to the line of the innermost inlined frame that is not in gpu/emulator/ (addr2line -i).
 * SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_OBSERVE_H
#define GPU_EMULATOR_OBSERVE_H

#include "gpu/emulator/findings.h"
#include "gpu/emulator/vector_types.h"
#include <stddef.h>

/* The thread that runs. The epochs count what orders it against others of its block, and of its warp. */
struct Thread {
    uint3 thread, block;                 /* threadIdx, blockIdx */
    int index;                           /* in its block: x + y Dx + z Dx Dy */
    int warp, lane;                      /* index / 32, index % 32 */
    unsigned block_epoch;                /* barriers of the block that it has passed */
    unsigned warp_epoch;                 /* __syncwarp that it has passed: shuffles and votes order no memory */
    const char *stack_begin, *stack_end; /* its local variables are here */
    void *observer;                      /* the checks' own: NULL when the thread begins */
};

struct Launch {
    const char *kernel, *file; /* "gemm_naive_kernel<16>", and where it was launched */
    int line;
    dim3 grid, block;
    size_t dynamic_shared;     /* bytes of the third argument of <<< >>> */
    unsigned long long number; /* 1, 2, .. of this process */
};

/* The running thread of the device; NULL on the host. */
extern __thread Thread *emulator_thread;

/* Device memory, global: every cudaMalloc is here, nothing else is. Not all of it is allocated; all of it may be read and
 * written without a fault. Allocations are aligned to 256 bytes and at least 256 bytes apart. */
extern char *emulator_memory;
extern size_t emulator_memory_size;

struct Observer {
    /* Device memory. Freed memory keeps its contents and is not reused until `released`. */
    void (*allocated)(void *address, size_t bytes);
    void (*freed)(void *address, size_t bytes);
    void (*released)(void *address, size_t bytes);
    void (*written_by_host)(void *address, size_t bytes); /* cudaMemset, cudaMemcpy to the device */
    void (*read_by_host)(const void *address, size_t bytes);

    void (*launch_begin)(const Launch *launch);
    void (*launch_end)(const Launch *launch);
    /* shared: the block's arena, of arena_bytes; what of it is in use is told by shared_declared. The same arena for every
     * block. */
    void (*block_begin)(uint3 block, const char *shared, size_t arena_bytes);
    void (*block_end)();
    /* An array of shared memory. Between two of them are 128 bytes of red zone. file NULL: the dynamic one. */
    void (*shared_declared)(const void *address, size_t bytes, const char *file, int line);
    void (*thread_begin)();
    void (*thread_end)();

    /* All threads of the block that have not returned have arrived: their block_epoch is one higher after this call. */
    void (*barrier)(const char *file, int line);
    /* The lanes in mask have met. __syncwarp orders their accesses: their warp_epoch is one higher after this call. Shuffles and
     * votes exchange values only (CUDA says so), so orders_memory is false for them. */
    void (*warp_barrier)(int warp, unsigned mask, bool orders_memory, void *pc);
    /* A warp has multiplied matrices: m x n x k, 2 m n k flops. Called once for the warp, by one of its threads. */
    void (*matrix_product)(int m, int n, int k, void *pc);
    void (*fence)(); /* __threadfence by the running thread */

    /* Accesses that the running thread makes within functions of the emulator, which are not compiled with callbacks:
     * fragments of wmma, copies of cp.async (the read when it is issued, the write when it is waited for). */
    void (*access)(const void *address, size_t bytes, bool write, void *pc);
    /* An atomic read and write of the running thread. */
    void (*atomic)(const void *address, size_t bytes, void *pc);

    /* What execution found. thread is NULL where no single one is to blame; pc is NULL where file and line say it, file is
     * NULL where pc says it. `file` lives for ever, `text` until the call returns: "waits at a __syncthreads() that 16 threads
     * never reach". */
    void (*finding)(FindingKind kind, const Thread *thread, void *pc, const char *file, int line, const char *text);

    /* The emulator itself reads or writes device memory on the host: between the two it may, and within a launch. Nobody else
     * may. */
    void (*host_begin)();
    void (*host_end)();
};

extern const Observer emulator_observer;

#define EMULATOR_TELL(event, ...)                                                                                      \
    do {                                                                                                               \
        if (emulator_observer.event)                                                                                   \
            emulator_observer.event(__VA_ARGS__);                                                                      \
    } while (0)

/* Ends the running launch, from within a kernel, as a device does after an illegal access: no thread runs on. The text, which is
 * copied, is the launch's error. Does not return. */
[[noreturn]] void emulator_stop(const char *text);

#endif
