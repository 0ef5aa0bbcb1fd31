/* `rungs bench`: what all benchmarks have in common. A kind of benchmark says which ladder is measured, at which sizes, and which
 * options it adds; parsing, measuring, printing, floors and files are the same for all.
 *
 *     bench.c              this, and the ladders of the CPU     bench_ladders.c     the list of operations
 *     bench_collective.c   collectives, on several ranks        bench_network.c     training steps of a network
 *     bench_parallel.c     data-parallel training steps         bench_gpu.c         ladders of the GPU, on a device or the emulator
 *     bench_compare.c      CPU and GPU beside each other
 *
 * What is measured, and how it is verified, stands beside it: cpu/gemm/ladder.c, cpu/step.c, mpi/collectives/operation.c.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include "cli/bench_ladders.h"
#include "core/options.h"
#include "ladder/ladder.h"
#include <stdint.h>

enum { BENCH_SIZES = 64, BENCH_OPTIONS = 40 };

typedef struct BenchOptions {
    const char *rungs, *sizes, *csv, *json, *svg, *roofline; /* the last four: files, NULL if not wanted */
    IntList threads;
    int rounds;
    double seconds;
    uint64_t seed;
    bool keep_environment;
    StringList floors;
    Option table[BENCH_OPTIONS]; /* of all these and the kind's own: says which files are written */

    /* Of ladders that the GPU has, too. */
    const char *device;  /* "cpu", "gpu", "emulator", "emulator-checked" */
    const char *gpu;     /* "H100"; NULL: not said */
    const char *compare; /* "cpu,gpu"; NULL: nothing is compared */
    double link;         /* GB/s between host and device; 0: not said */
    bool counters, lines;
    const char *crossing; /* a row; NULL: not requested */
} BenchOptions;

/* What a kind of benchmark says of itself in --help, and how it calls the options of all. */
typedef struct BenchKind {
    const char *name, *positional, *summary, *notes; /* as in Command */
    const char *rungs, *rungs_help;                  /* the option for the rows; NULL: there is none */
    const char *sizes, *sizes_help;
    bool threads;          /* whether there is --threads */
    const Option *options; /* its own, name NULL at the end */
    int max_positional;
} BenchKind;

/* False: *status is what to return. o holds the defaults. */
bool bench_parse(const BenchKind *kind, BenchOptions *o, int argc, char **argv, int *positional, int *status);

/* A benchmark that is ready. */
typedef struct Bench {
    const char *name; /* "rungs bench gemv" */
    const BenchOptions *o;
    const Ladder *ladder;
    int sizes[BENCH_SIZES][LADDER_DIMENSIONS];
    int size_count;           /* 0: o->sizes says it .. */
    const char *sizes_option; /* .. under this name; NULL: "sizes" */
    const LadderRanks *ranks; /* NULL: one process */
    bool peaks;               /* of this machine are measured and stand beside the times */
    double sample_seconds;    /* 0: 5 ms */
    bool named;               /* the user named all rows: none is skipped because it takes long */
    const char *svg_refused;  /* a sentence, if nothing can be drawn; NULL: it can */

    /* What else stands in the head; what else is to be said or written when all was measured, on all ranks. NULL: nothing. */
    void (*head)(FILE *out);
    bool (*finish)(LadderTable *const *tables, int count, Error *error);
} Bench;

/* Measures, prints, writes, judges. Returns the exit status, the same on all ranks: 1 if a row was wrong or a floor is not met. */
int bench_run(Bench *bench);

/* 1 and all the cores that this process may use; 1 alone in a build without OpenMP. */
IntList bench_threads(void);

/* False with a sentence if this build or this machine cannot run that many at once: threads that share a core wait for each
 * other, and their times, and the peaks beside them, mean nothing. */
bool bench_threads_check(const IntList *threads, Error *error);

/* The largest; 1 for an empty list. */
int bench_threads_max(const IntList *threads);

/* ---- bench_gpu.c ---- */

/* False with a sentence if options contradict each other, or the operation cannot run there. */
bool bench_options_fit(const BenchEntry *entry, const BenchOptions *options, Error *error);

/* Runs the kernels on the device or on the emulator; returns the exit status. */
int bench_gpu(const char *name, const BenchEntry *entry, const BenchOptions *options);

/* ---- bench_compare.c ---- */

/* Prints the times of CPU and GPU beside each other; returns the exit status. */
int bench_compare(const char *name, const BenchEntry *entry, const BenchOptions *options);

#endif
