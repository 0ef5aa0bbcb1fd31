/* What the driver of collectives does with one row, and what its ranks agree on. SPDX-License-Identifier: MIT */
#ifndef CLI_BENCH_COLLECTIVE_ROW_H
#define CLI_BENCH_COLLECTIVE_ROW_H

#include "cli/bench_collective.h"
#include "mpi/collectives/truth.h"

/* What a call is made on. */
typedef struct BenchCall {
    const CollectiveBench *bench;
    const CollectiveRung *rung;
    CollectiveCase *what;
    CollectiveVectors *vectors;
} BenchCall;

/* Verifies the rung with its first call, which makes windows, plans and connections, and finds out how many calls make a sample;
 * or says why the row is skipped. */
void bench_row_begin(CollectiveTime *time, const BenchCall *call);

/* One sample on new inputs, into time->seconds[round]. */
void bench_row_sample(CollectiveTime *time, const BenchCall *call, int round);

/* On all ranks: the largest, the sum, whether rank 0 says so. */
double bench_slowest(const CollectiveBench *bench, double mine);
size_t bench_sum(const CollectiveBench *bench, size_t mine);
bool bench_first_says(const CollectiveBench *bench, bool mine);

#endif
