/* The processes that mpirun has started, as one command sees them: they meet, agree, train one network together, and part. In a
 * build without MPI, and for a process that is alone, there is one rank and nothing is sent. Nothing in this header needs MPI.
 *
 *     Ranks ranks = {0};
 *     ranks_meet(&ranks, false);
 *     if (ranks_agree(&ranks, read_options(), &status, &error) && ranks_join(&ranks, trainer, &options, &error))
 *         ..
 *     ranks_part(&ranks);
 *
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_RANKS_H
#define MPI_PARALLEL_RANKS_H

#include "core/trace.h"
#include "mpi/parallel/strategy.h"
#include "nn/train.h"

typedef struct Ranks {
    int rank, count;          /* 0 of 1 for a process that is alone */
    int machines, on_machine; /* that they run on; ranks on this one */
    struct Comm *comm;        /* NULL: alone */
    struct Grid *grid;
    struct Parallel *parallel; /* from ranks_join on */
} Ranks;

/* With alone, one rank gets what several have, to train as they do. May be called again. Free with ranks_part. */
void ranks_meet(Ranks *ranks, bool alone);
void ranks_part(Ranks *ranks);

/* Collective, as all below. Whether all ranks are good. If not, *error is the sentence of the first that is not, with its number,
 * and *status its status, on all of them. */
bool ranks_agree(const Ranks *ranks, bool good, int *status, Error *error);

/* The largest number that a rank gives. */
int ranks_largest(const Ranks *ranks, int number);

/* Whether this rank has the number of rank 0. */
bool ranks_same(const Ranks *ranks, uint64_t number);

/* From here on steps are taken together. False with a sentence, the same on all ranks. The strategy has to be one of this build. */
typedef struct RanksOptions {
    const Strategy *strategy;
    const StrategyValues *values;
    const char *collectives;  /* by name */
    int straggler;            /* this rank .. */
    double straggler_seconds; /* .. sleeps that long in every step; 0: none */
} RanksOptions;
bool ranks_join(Ranks *ranks, Trainer *trainer, const RanksOptions *options, Error *error);

/* What only the strategy knows, after the training, on rank 0's stdout. */
void ranks_report(const Ranks *ranks);

/* The timeline of all ranks in the file of rank 0 (NULL on all: none): made before the first step, gathered and written after the
 * last. */
Trace *ranks_trace_create(const Ranks *ranks, const char *path, Error *error);
bool ranks_trace_close(const Ranks *ranks, Trace *trace, const char *path, Error *error);

#endif
