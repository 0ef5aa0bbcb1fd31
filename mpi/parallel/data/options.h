/* The options of data parallelism (data.h). SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_DATA_OPTIONS_H
#define MPI_PARALLEL_DATA_OPTIONS_H

#include "mpi/parallel/strategy.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct DataOptions {
    const char *overlap;           /* "naive", "fused", "wfbp", "ddp", "greedy", "optimal" */
    uint64_t bucket, first_bucket; /* ddp: bytes that close a bucket; 0: PyTorch's */
    bool sync_batchnorm;           /* statistics of the global batch */
} DataOptions;

extern const Strategy strategy_data;

#endif
