/* What `rungs bench mlp` measured; bench_mlp.c measures, bench_mlp_report.c shows.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_BENCH_MLP_H
#define CLI_BENCH_MLP_H

#include "core/error.h"
#include "core/options.h"
#include "ladder/machine.h"

enum { BENCH_MLP_ROWS = 3 };

typedef struct BenchMlpRow {
    char name[128];
    double *rates; /* [rounds]: samples/s, owned */
} BenchMlpRow;

/* One number of threads. */
typedef struct BenchMlpTable {
    int threads, rounds, rows;
    BenchMlpRow row[BENCH_MLP_ROWS]; /* the slowest kernels first, a peer last */
    bool has_peer;
} BenchMlpTable;

typedef struct BenchMlp {
    IntList hidden, threads;
    int inputs, classes, batch, rounds;
    double seconds; /* of one measurement */
    const char *kernels, *torch, *csv, *json;
    size_t parameters;
    double flops; /* of one step, see bench_mlp.c */
    Machine machine;
    BenchMlpTable tables[OPTION_LIST_MAX];
} BenchMlp;

void bench_mlp_print(const BenchMlp *bench, const BenchMlpTable *table);
bool bench_mlp_csv(const BenchMlp *bench, Error *error);
bool bench_mlp_json(const BenchMlp *bench, Error *error);

#endif
