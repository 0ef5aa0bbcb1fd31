/* What a library of kernels offers: a device, its memory, and launch_<operation>_<idea> for each rung. The same sources make
 * three libraries with the same names, opened when a program runs (gpu/library.h), so that it starts where there is no CUDA:
 *
 *     librungs_gpu.so                by nvcc, for a device
 *     librungs_emulator.so           by the host's compiler, on processors: results right, times meaningless
 *     librungs_emulator_checked.so   the same, watching every access: finds mistakes and counts (gpu/emulator/counters.h)
 *
 * All launches and copies go to the default stream, one after the other. A launch returns at once; what went wrong in it is
 * found by the next gpu_synchronize or copy. Functions that return text return NULL when all is well; the text lives until the
 * next call.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_DEVICE_H
#define GPU_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct GpuProperties {
    char name[64];
    int major, minor; /* compute capability */
    int multiprocessors, warp;
    int threads_per_block, threads_per_multiprocessor, registers_per_multiprocessor;
    size_t memory, l2;                                                         /* bytes */
    size_t shared_per_block, shared_per_block_most, shared_per_multiprocessor; /* bytes; most: if a kernel opts in */
    bool emulated, checked;
} GpuProperties;

/* Is there a device? If not, reason says why. */
bool gpu_available(char *reason, size_t size);
void gpu_properties(GpuProperties *properties);

/* Device memory, aligned to 256 bytes. NULL: none is left, or bytes is 0. gpu_free(NULL) does nothing. */
void *gpu_allocate(size_t bytes);
void gpu_free(void *memory);

/* Copies from the host, to the host, within the device; sets bytes. All wait until the copy is done. */
const char *gpu_copy_in(void *device, const void *host, size_t bytes);
const char *gpu_copy_out(void *host, const void *device, size_t bytes);
const char *gpu_copy(void *to, const void *from, size_t bytes);
const char *gpu_fill(void *device, int byte, size_t bytes);

/* Waits for all launches. NULL, or what was wrong with the first that failed; the error is then forgotten. On a device a
 * kernel that reads where it must not leaves an error that stays until the process ends. */
const char *gpu_synchronize(void);

/* Seconds between an event before and an event after what run launches. Negative: it failed, gpu_synchronize says how. */
double gpu_seconds(void (*run)(void *), void *context);

#ifdef __cplusplus
}
#endif

#endif
