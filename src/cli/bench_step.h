/* Training steps of networks, measured: bench_step.c measures, bench_step_report.c shows, bench_network.c has the commands.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_BENCH_STEP_H
#define CLI_BENCH_STEP_H

#include "cli/bench_net.h"
#include "core/error.h"
#include "ladder/machine.h"

enum { BENCH_STEP_ROWS = 3 };

typedef struct BenchStepRow {
    char name[128];
    double *rates; /* [rounds]: samples/s, owned */
} BenchStepRow;

/* One number of threads. */
typedef struct BenchStepTable {
    int threads, rounds, rows;
    BenchStepRow row[BENCH_STEP_ROWS]; /* the slowest kernels first, a peer last */
    bool has_peer;
} BenchStepTable;

typedef struct BenchStep {
    const char *command; /* "rungs bench lenet" */
    BenchNet net;
    IntList threads;
    int batch, rounds;
    double seconds; /* of one measurement */
    const char *kernels, *torch, *csv, *json;
    size_t parameters;
    double flops; /* of one step, bench_net_flops */
    Machine machine;
    BenchStepTable tables[OPTION_LIST_MAX];
} BenchStep;

/* Measures and prints a table for each number of threads, then writes the files that are asked for. */
bool bench_step(BenchStep *bench, Error *error);

void bench_step_print(const BenchStep *bench, const BenchStepTable *table);
bool bench_step_csv(const BenchStep *bench, Error *error);
bool bench_step_json(const BenchStep *bench, Error *error);

#endif
