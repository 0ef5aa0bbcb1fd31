/* See bench_parallel_cost.c. SPDX-License-Identifier: MIT */
#ifndef CLI_BENCH_PARALLEL_COST_H
#define CLI_BENCH_PARALLEL_COST_H

#include "mpi/comm.h"
#include <stddef.h>

/* Seconds of an all-reduce in place of n floats; all ranks must call the first time. NaN: the model does not know the rung. */
double bench_parallel_all_reduce(Comm *comm, const char *rung, size_t n);

#endif
