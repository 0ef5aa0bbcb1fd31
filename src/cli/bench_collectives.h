/* Which collectives `rungs bench` knows; in a build without MPI their names alone. SPDX-License-Identifier: MIT */
#ifndef CLI_BENCH_COLLECTIVES_H
#define CLI_BENCH_COLLECTIVES_H

#include "core/nearest.h"
#include <stdbool.h>
#include <stdio.h>

bool bench_collective_is(const char *name);
void bench_collective_offer(Nearest *nearest);

/* A line for each, as `rungs bench --help` shows them. */
void bench_collective_list(FILE *out);

#endif
