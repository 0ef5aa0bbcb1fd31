/* What the checked emulator found and counted. C and C++ read this; gpu/library.h looks the functions up by name.
 *
 *     emulator_reset();
 *     launch_gemm_naive(..); gpu_synchronize();
 *     emulator_report(stdout, "A100");
 *
 * Strings and structs that are returned are the emulator's; they live until the next launch, emulator_reset or emulator_leaks.
 * The results of kernels are right, their times on the emulator mean nothing: counts say what a device would have to do.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATOR_COUNTERS_H
#define GPU_EMULATOR_COUNTERS_H

#include "gpu/emulator/findings.h"
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A thread and a line of source. line 0: not known. */
typedef struct EmulatorPlace {
    const char *file;
    int line;
    unsigned block[3], thread[3];
} EmulatorPlace;

/* A mistake. The same one at the same line is one finding; `here` is where it was seen first. */
typedef struct EmulatorFinding {
    FindingKind kind;
    const char *kernel;        /* "" on the host */
    EmulatorPlace here, other; /* races: the second access and the first one; other.file is NULL elsewhere */
    unsigned long long count;  /* how often it was seen */
    const char *text;          /* one sentence: what is wrong, what to do */
} EmulatorFinding;

/* A request is what the lanes of one warp ask for with one instruction.
 *
 *     request   lane 0    1    2   ..  31        loads of float x[lane]:      4 sectors, all that they hold is used
 *               |____|____|____|__..___|         loads of float x[lane * n]: 32 sectors, an eighth is used
 *               sector 0 | sector 1 | ..         (32 bytes each: CUDA C++ Best Practices Guide, "Coalesced Access ..")
 */
typedef struct EmulatorCounts {
    unsigned long long flops, double_flops; /* an FMA is 2; on 4- and 8-byte numbers */
    unsigned long long special;             /* calls of expf, sinf .. */
    unsigned long long tensor_flops;        /* by fragments (wmma) */
    unsigned long long tf32_flops;          /* those of them in TF32 */
    unsigned long long loads, load_sectors,
        load_bytes; /* global memory: requests, 32-byte sectors, bytes requested by all lanes */
    unsigned long long stores, store_sectors, store_bytes;
    unsigned long long shared, shared_passes,
        conflicts;                          /* shared memory: requests, passes, passes that banks in conflict added */
    unsigned long long atomics, collisions; /* requests; lanes that met another lane of their warp at an address */
    unsigned long long divergent;           /* branches at which a warp diverged */
    unsigned long long barriers;            /* __syncthreads, once for each block */
} EmulatorCounts;

typedef struct EmulatorLine {
    const char *file;
    int line;
    EmulatorCounts counts;
} EmulatorLine;

/* A kernel, all its launches since the last emulator_reset added up. */
typedef struct EmulatorKernel {
    const char *name, *file; /* where it was launched first */
    int line;
    unsigned long long launches, blocks, threads; /* blocks and threads of all launches */
    unsigned threads_per_block;                   /* of the last launch */
    size_t shared_per_block;                      /* bytes, of the last launch */
    unsigned long long
        touched_sectors; /* different sectors of global memory, launch by launch: the least traffic there can be */
    EmulatorCounts total;
    const EmulatorLine *lines; /* sorted by file and line */
    size_t line_count;
} EmulatorKernel;

/* Forgets findings and counts. Memory stays as it is. */
void emulator_reset(void);

/* Adds a finding for each region of device memory that is not freed now; returns how many. The library also looks when the program
 * ends, and prints to stderr findings that were not queried. */
int emulator_leaks(void);

int emulator_findings(void);
const EmulatorFinding *emulator_finding(int i); /* NULL: no such one */
const char *emulator_finding_name(FindingKind kind);

int emulator_kernels(void);
const EmulatorKernel *emulator_kernel(int i); /* NULL: no such one */
/* The first kernel whose name begins so; NULL if none has run. */
const EmulatorKernel *emulator_kernel_named(const char *prefix);

/* What a roofline predicts for all launches of a kernel on a GPU of gpu_specs.h, in seconds; negative: no such GPU, or it has no
 * tensor cores for what the kernel does. cached: each sector comes from memory once a launch; else each request fetches its sectors
 * again. A device is between the two. */
double emulator_seconds(const EmulatorKernel *kernel, const char *gpu, int cached);

/* Findings, then each kernel with its lines, its occupancy, its predicted time on a GPU of gpu_specs.h (NULL: on all of them). */
void emulator_report(FILE *out, const char *gpu);
void emulator_report_json(FILE *out);

/* The findings alone, a line each. */
void emulator_report_findings(FILE *out);

/* Are the counts those of the source? GCC's are. Clang splits wide accesses and unrolls loops: with it they are rough. */
int emulator_counts_exact(void);

/* For tests: what one request costs. The lane's bit in `active` says whether its address counts. */
unsigned emulator_sectors(const unsigned long long address[32], unsigned bytes, unsigned active);
/* Passes through shared memory; *ideal (may be NULL) is the number without conflicts: 1, or 2 or 4 for 8- and 16-byte accesses. */
unsigned emulator_bank_passes(const unsigned long long address[32], unsigned bytes, unsigned active, unsigned *ideal);

#ifdef __cplusplus
}
#endif
#endif
