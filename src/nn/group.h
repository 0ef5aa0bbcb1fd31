/* A process group, as training sees it: the communication that evaluation and checkpoints need, as a table that mpi/parallel/
 * fills in. A process on its own has none.
 * SPDX-License-Identifier: MIT */
#ifndef NN_GROUP_H
#define NN_GROUP_H

#include "core/error.h"
#include <stddef.h>

typedef struct ProcessGroup {
    void *context;
    int rank, size;

    /* Collective: all ranks call them in the same order. */

    /* values[i] = the sum of all ranks' values[i], with the same bits on all. */
    void (*sum)(void *context, double *values, size_t n);
    /* The same with the least of them. */
    void (*least)(void *context, int *values, size_t n);
    /* Whether all are good. If not, *error is the sentence of the first that is not, on all ranks. */
    bool (*agree)(void *context, bool good, Error *error);

    /* Between two ranks. */

    void (*send)(void *context, int to, const void *bytes, size_t n);
    void (*receive)(void *context, int from, void *bytes, size_t n);
} ProcessGroup;

#endif
