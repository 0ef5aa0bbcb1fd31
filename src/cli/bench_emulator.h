/* rungs bench OPERATION --device emulator: every rung run once on each size and compared with the reference, with what the emulator
 * found and counted. No time is shown: on the emulator it means nothing.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_BENCH_EMULATOR_H
#define CLI_BENCH_EMULATOR_H

#include "gpu/ladders.h"
#include <stdint.h>

typedef struct EmulatorBench {
    const GpuLadder *ladder;
    const GpuLibrary *library;
    const char *rungs, *sizes; /* as options: "naive,coalesced", "96,128" */
    const char *gpu;           /* predict for this one; NULL: for all that are known */
    const char *csv, *json;    /* files; NULL: none */
    uint64_t seed;
    bool counters, lines; /* need the library that checks; lines: also for each line of source */
} EmulatorBench;

/* Returns the exit status; 1 if a rung was wrong, or if a mistake was found. */
int bench_emulator(const EmulatorBench *bench);

#endif
