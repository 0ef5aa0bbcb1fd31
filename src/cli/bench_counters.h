/* What a rung did on the emulator, and how it is printed and written. SPDX-License-Identifier: MIT */
#ifndef CLI_BENCH_COUNTERS_H
#define CLI_BENCH_COUNTERS_H

#include "core/csv.h"
#include "core/json.h"
#include "gpu/counters.h"
#include "gpu/emulator/gpu_specs.h"
#include "ladder/ladder.h"

enum { COUNTED_KERNELS = 8, COUNTED_GPUS = 8 };

/* A kernel that a rung launched, on a GPU as predicted from its counts. */
typedef struct CountedKernel {
    char name[64];
    unsigned threads_per_block;
    size_t shared_per_block;
    unsigned long long touched_sectors;
    EmulatorCounts counts;
    double least[COUNTED_GPUS], most[COUNTED_GPUS]; /* seconds: if caches keep everything, if nothing */
} CountedKernel;

typedef struct CountedRung {
    const Rung *rung;
    RowState state;
    char reason[320];
    double error; /* the largest, in tolerances */
    int findings;
    int count; /* kernels; 0 if they were not counted */
    CountedKernel kernels[COUNTED_KERNELS];
} CountedRung;

/* Takes what was counted since the last reset. */
void counted_take(CountedRung *rung, const GpuCounters *counters);

/* A table with a line for each rung; counters: with what its kernels did. */
void counted_header(bool counters);
void counted_print(const CountedRung *rung, bool counters);

/* Occupancy and predicted times, a line for each rung, on this GPU or (NULL) on all. */
void counted_print_predictions(const CountedRung *rungs, int count, const char *gpu);

/* A row for each kernel of each rung. */
Csv *counted_csv_create(const char *path, Error *error);
void counted_csv_rung(Csv *csv, const Ladder *ladder, const int *size, const CountedRung *rung);

/* A rung, with the report of the library that counted (NULL: none did). */
cJSON *counted_json(const CountedRung *rung, const GpuCounters *counters);

#endif
