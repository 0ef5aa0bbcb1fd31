/* The options of parameter servers (server.h). SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_SERVER_OPTIONS_H
#define MPI_PARALLEL_SERVER_OPTIONS_H

#include "mpi/parallel/strategy.h"

typedef struct ServerOptions {
    int servers; /* ranks that keep the weights, each a slice of them, and do not train */
    int bound;   /* async: steps that the fastest may be ahead of the slowest; negative: any (SSP) */
} ServerOptions;

extern const Strategy strategy_server, strategy_async;

#endif
