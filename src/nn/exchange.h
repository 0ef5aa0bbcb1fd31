/* The collectives that layers use among processes that work on partitions of the same batch: a table, as nn/backend.h is one
 * for kernels. The mathematics stays free of communication; mpi/parallel/ fills the table in.
 * SPDX-License-Identifier: MIT */
#ifndef NN_EXCHANGE_H
#define NN_EXCHANGE_H

#include "nn/net.h"

struct Exchange {
    void *context;
    /* x[n] becomes the sum of all processes' x, the same bits on all of them. All must call, in the same order. */
    void (*sum)(void *context, double *x, size_t n);
};

#endif
