/* A ladder of the GPU on the emulator: every rung run once on each size and compared with the reference, with what the emulator
 * found and counted. No time is shown: on the emulator it means nothing.
 * SPDX-License-Identifier: MIT */
#ifndef GPU_EMULATED_H
#define GPU_EMULATED_H

#include "gpu/ladders.h"

typedef struct Emulation {
    const Ladder *ladder; /* bound to the library */
    const GpuLibrary *library;
    const bool *selected;                  /* [ladder->count]: which rungs */
    const int (*sizes)[LADDER_DIMENSIONS]; /* [count] */
    int count;
    const char *gpu;        /* predict for this one; NULL: for all that are known */
    const char *csv, *json; /* files; NULL: none */
    uint64_t seed;
    bool counters, lines; /* need the library that checks; lines: also for each line of source */
} Emulation;

/* Prints a table for each size, and writes the files. False with a sentence if a problem cannot be made or a file not be written;
 * *right: no rung was wrong and no mistake was found. */
bool emulation_run(const Emulation *what, bool *right, FILE *out, Error *error);

#endif
