/* The libraries of kernels, opened at their first use: one for a device, two for the emulator (gpu/device.h says
 * what they offer). All have the same names in them, so functions are looked up by library and name.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_LIBRARY_H
#define GPU_LIBRARY_H

#include "core/error.h"
#include "core/library.h"
#include "gpu/device.h"

typedef enum GpuKind { GPU_DEVICE, GPU_EMULATOR, GPU_EMULATOR_CHECKED, GPU_KINDS } GpuKind;

typedef struct GpuLibrary {
    GpuKind kind;
    void *handle;
    GpuProperties properties;
    char about[160]; /* "NVIDIA H200, 132 multiprocessors", "emulator: results right, times meaningless" */

    /* The functions of gpu/device.h. */
    void *(*allocate)(size_t bytes);
    void (*free)(void *memory);
    const char *(*copy_in)(void *device, const void *host, size_t bytes);
    const char *(*copy_out)(void *host, const void *device, size_t bytes);
    const char *(*copy)(void *to, const void *from, size_t bytes);
    const char *(*fill)(void *device, int byte, size_t bytes);
    const char *(*synchronize)(void);
    double (*seconds)(void (*run)(void *), void *context);
} GpuLibrary;

/* The library, opened once and kept until the program ends. NULL with a sentence: it was not built, or there is no device. It
 * is looked for in the folder that RUNGS_GPU_LIBRARIES names; if that is not set, in the program's own folder and the two
 * above. */
const GpuLibrary *gpu_library(GpuKind kind, Error *error);

/* The device's library if there is a device, else the emulator's, and why it is that one (may be NULL). NULL with a sentence:
 * neither. */
const GpuLibrary *gpu_library_any(Error *why);

/* As gpu_library, of a file of this path: for tests with kernels of their own. Opened anew with each call, never closed. */
const GpuLibrary *gpu_library_open(const char *path, Error *error);

/* launch_gemm_naive and so on: cast it to its type. NULL with a sentence: the library has no such function. */
LibraryFunction *gpu_function(const GpuLibrary *library, const char *name, Error *error);

/* A function's name, and the pointer that becomes its address. */
typedef struct GpuFunction {
    const char *name;
    void *pointer;
} GpuFunction;

/* Looks up count functions. False with a sentence: the library lacks one. */
bool gpu_functions(const GpuLibrary *library, const GpuFunction *functions, size_t count, Error *error);

/* "device", "emulator", "emulator-checked": as options name them. */
const char *gpu_kind_name(GpuKind kind);

#endif
