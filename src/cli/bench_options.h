/* What `rungs bench OPERATION` was asked for. SPDX-License-Identifier: MIT */
#ifndef CLI_BENCH_OPTIONS_H
#define CLI_BENCH_OPTIONS_H

#include "cli/bench_ladders.h"
#include "core/options.h"
#include <stdint.h>

typedef struct BenchOptions {
    const char *rungs, *sizes, *csv, *json, *svg, *roofline; /* the last four: files, NULL if not wanted */
    const char *device;                                      /* "cpu", "gpu", "emulator", "emulator-checked" */
    const char *gpu;                                         /* "H100"; NULL: not said */
    const char *compare;                                     /* "cpu,gpu"; NULL: nothing is compared */
    IntList threads;
    int rounds;
    double seconds, link; /* link: GB/s between host and device; 0: not said */
    uint64_t seed;
    bool keep_environment, counters, lines;
} BenchOptions;

/* Measures a ladder with the driver (bench.c). gpu: the device that it was bound to, in words; NULL: it runs on the CPU. */
typedef int BenchLadder(const Ladder *ladder, const char *gpu);

/* ---- bench_gpu.c ---- */

/* False with a sentence if options contradict each other, or the operation cannot run there. */
bool bench_options_fit(const BenchEntry *entry, const BenchOptions *options, Error *error);

/* Runs the kernels on the device or on the emulator; returns the exit status. */
int bench_gpu(const BenchEntry *entry, const BenchOptions *options, BenchLadder *bench_ladder);

/* ---- bench_compare.c ---- */

/* Prints the times of CPU and GPU beside each other; returns the exit status. */
int bench_compare(const BenchEntry *entry, const BenchOptions *options);

#endif
