/* The checks and counters of the emulator that checks (gpu/emulator/counters.h), by library: two libraries may be open at once.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_COUNTERS_H
#define GPU_COUNTERS_H

#include "gpu/emulator/counters.h"
#include "gpu/library.h"

typedef struct GpuCounters {
    void (*reset)(void);
    int (*findings)(void);
    int (*kernels)(void);
    const EmulatorKernel *(*kernel)(int i);
    double (*seconds)(const EmulatorKernel *kernel, const char *gpu, int cached);
    void (*report)(FILE *out, const char *gpu);
    void (*report_json)(FILE *out);
    void (*report_findings)(FILE *out);
    int (*counts_exact)(void);
} GpuCounters;

/* False with a sentence: the library does not count. */
bool gpu_counters_open(GpuCounters *counters, const GpuLibrary *library, Error *error);

#endif
