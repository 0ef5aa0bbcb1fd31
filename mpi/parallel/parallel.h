/* Ranks that train one network together: a strategy (strategy.h) at run time. It makes a TrainGroup (nn/train.h), which is all
 * that the training loop knows of it.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_H
#define MPI_PARALLEL_H

#include "core/error.h"
#include "mpi/parallel/queue.h"
#include "mpi/parallel/strategy.h"
#include "nn/train.h"
#include <stdio.h>

/* Names and collectives stay the caller's and must live as long as the Parallel. */
typedef struct ParallelOptions {
    const char *strategy; /* its name */
    const Collectives *collectives;
    const void *
        own; /* the strategy's own: a DataOptions, ServerOptions, PeerOptions, of which a copy is made; NULL: defaults */
    int straggler;            /* this rank .. */
    double straggler_seconds; /* .. sleeps for this time in every step; 0: none */
} ParallelOptions;

typedef struct Parallel Parallel;

/* When the phases of parallel_gradient began, in seconds of clock_now(). */
typedef struct ParallelTimes {
    double begin; /* the straggler sleeps */
    double forward, backward, end;
} ParallelTimes;

/* What a strategy's create makes (the first member of a struct of its own). */
struct Parallel {
    const Strategy *strategy;
    Queue *queue;   /* all that is communicated in a step goes through it */
    Comm *comm;     /* of the axis of the grid that the strategy takes */
    Comm *replicas; /* ranks of it that hold the same layers as this one: all, where the network is not divided */
    const TrainOptions *training;
    ParallelOptions options;
    TrainGroup group;    /* its group is parallel_create's affair */
    ParallelTimes times; /* of the last parallel_gradient */
    int workers, worker; /* replicas of the network that train; which of them this rank belongs to, -1: none */
    void (*free)(Parallel *parallel);
    /* For people, after the training: what only this strategy knows (staleness, bytes of the busiest rank). All ranks call; rank 0
     * prints. NULL: nothing. */
    void (*report)(Parallel *parallel, FILE *out);
};

/* Makes the strategy of options->strategy for a built net, gives all ranks the weights and averages of rank 0, and tells the
 * trainer. All ranks must call. NULL with a sentence, the same on all ranks. Free with parallel_free (NULL is allowed) before net
 * and comm; the trainer, which keeps a pointer into it, must not step after that. */
Parallel *parallel_create(Comm *comm, Trainer *trainer, const ParallelOptions *options, Error *error);
void parallel_free(Parallel *parallel);

/* The communication that evaluation and checkpoints need, by the comm and collectives of this strategy: parallel_create sets it. */
ProcessGroup parallel_group(Parallel *parallel);

/* Collective: -1 if all ranks are good, else the first that is not; *error is then its sentence, with its number, on all ranks. */
int parallel_first_failed(const Comm *comm, bool good, Error *error);

/* For strategies: the slice of a batch of `size` that is worker's of `workers`, as even as possible. */
void parallel_part(void *parallel, size_t size, size_t *first, size_t *count);

/* For strategies: forward and backward of step->batch, which may be empty, with its contribution to the gradient of the global
 * batch's mean loss; the straggler sleeps first. Returns its contribution to the loss: the sum over all ranks is the loss of
 * the global batch. */
double parallel_gradient(Parallel *parallel, Trainer *trainer, const TrainStep *step);

/* The straggler sleeps: parallel_gradient calls it. */
void parallel_straggle(const Parallel *parallel);

/* For strategies: sums loss and stop over all ranks, into step; the loss of a rank that failed is not a number. */
void parallel_agree(Parallel *parallel, TrainStep *step, double share);

/* For strategies: the net's running averages (batch normalisation), of which each worker has its own, become the mean of the
 * workers' on all ranks. */
void parallel_average(Parallel *parallel, Net *net);

#endif
