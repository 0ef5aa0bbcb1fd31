/* The operations that `rungs bench` knows, on the CPU and on the GPU. SPDX-License-Identifier: MIT */
#ifndef CLI_BENCH_LADDERS_H
#define CLI_BENCH_LADDERS_H

#include "gpu/ladders.h"
#include "ladder/ladder.h"

typedef struct BenchEntry {
    const Operation *operation;
    const Ladder *cpu;    /* NULL: there is none */
    const char *sizes;    /* for the CPU, unless --sizes says otherwise: in each cache and beyond, odd, and skinny */
    const GpuLadder *gpu; /* NULL: there is none */
} BenchEntry;

/* What argv[1] names. False: nothing was named, or --help requested the list; *status is then what to return. */
bool bench_find(int argc, char **argv, BenchEntry *entry, int *status);

/* Whether it is a collective; in a build without MPI they are known by name, so that the command can say what is missing. */
bool bench_collective_is(const char *name);

#endif
