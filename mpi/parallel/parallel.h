/* Ranks that train one network together: each way of doing so is a folder here, and makes a TrainTeam (nn/train.h), which is all
 * that the training loop knows of it.
 *
 *     data/      every rank computes the gradient of its part of the batch; an all-reduce adds them; all take the same step
 *     server/    ranks send gradients to a parameter server and get weights back: in step, or as each is ready (asynchronous)
 *     gossip/    no centre and no all-reduce: D-PSGD, local SGD, elastic averaging (EASGD)
 *
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_H
#define MPI_PARALLEL_H

#include "core/error.h"
#include "mpi/collectives/collectives.h"
#include "nn/train.h"
#include <stdio.h>

/* A way reads those that concern it. Names and collectives stay the caller's and must live as long as the Parallel. 0 in a
 * bucket: PyTorch's size; 0 in elasticity: 0.9 / ranks. */
typedef struct ParallelOptions {
    const char *kind;    /* a name of parallel_kinds */
    const char *overlap; /* data: "naive", "fused", "wfbp", "ddp", "greedy", "optimal" */
    const Collectives *collectives;
    size_t bucket, first_bucket; /* data, ddp: bytes that close a bucket */
    int servers;                 /* server: ranks that keep the weights, each a part of them, and do not train */
    int bound;         /* server, async: steps that the fastest may be ahead of the slowest; negative: any (SSP) */
    int every;         /* gossip, local: steps between two averages */
    double elasticity; /* easgd: alpha = eta rho, the share of the difference to the centre that moves */
    int straggler;     /* this rank .. */
    double straggler_seconds; /* .. sleeps so long in every step; 0: none */
} ParallelOptions;

typedef struct Parallel Parallel;

/* When the parts of parallel_gradient began, in seconds of clock_now(). */
typedef struct ParallelTimes {
    double begin; /* the straggler sleeps */
    double forward, backward, end;
} ParallelTimes;

typedef struct ParallelKind {
    const char *name; /* "data" */
    const char *idea; /* one line */
    int fewest;       /* ranks that it needs */
    bool on_device;   /* the net may lie in the memory of a device */
    /* All ranks must call. NULL with a sentence, the same on all ranks, for options that cannot work. */
    Parallel *(*create)(Comm *comm, Net *net, const ParallelOptions *options, Error *error);
} ParallelKind;

/* A way at work: what a kind's create makes (the first member of a struct of its own). */
struct Parallel {
    const ParallelKind *kind;
    Comm *comm;
    ParallelOptions options;
    TrainTeam team;      /* its group is parallel_create's affair */
    ParallelTimes times; /* of the last parallel_gradient */
    int workers, worker; /* ranks that train; which of them this is, -1: none */
    void (*free)(Parallel *parallel);
    /* For people, after the training: what only this way knows (staleness, bytes of the busiest rank). All ranks call; rank 0
     * prints. NULL: nothing. */
    void (*report)(Parallel *parallel, FILE *out);
};

/* NULL at the end. */
extern const ParallelKind *const parallel_kinds[];
const ParallelKind *parallel_kind(const char *name); /* NULL: there is none of that name */

/* Makes the way of options->kind for a built net, gives all ranks the weights and averages of rank 0, and tells the trainer. All
 * ranks must call. NULL with a sentence, the same on all ranks. Free with parallel_free (NULL is allowed) before net and comm; the
 * trainer, which keeps a pointer into it, must not step after that. */
Parallel *parallel_create(Comm *comm, Trainer *trainer, const ParallelOptions *options, Error *error);
void parallel_free(Parallel *parallel);

/* The communication that evaluation and checkpoints need, by the comm and collectives of this way: parallel_create sets it. */
ProcessGroup parallel_group(Parallel *parallel);

/* Collective: -1 if all ranks are good, else the first that is not; *error is then its sentence, with its number, on all ranks. */
int parallel_first_failed(const Comm *comm, bool good, Error *error);

/* For the ways: rows of a batch of `size` that are worker's of `workers`, as even as can be. */
void parallel_part(void *parallel, size_t size, size_t *first, size_t *count);

/* For the ways: forward and backward of step->batch, which may be empty, with gradients of the share that it has in the mean over
 * the whole batch; the straggler sleeps first. Returns that share of the loss: the sum of all ranks' is the loss of the batch. */
double parallel_gradient(Parallel *parallel, Trainer *trainer, const TrainStep *step);

/* For the ways: sums loss and stop over all ranks, into step; the loss of a rank that failed is not a number. */
void parallel_agree(Parallel *parallel, TrainStep *step, double share);

/* For the ways: the net's running averages (batch normalisation), of which each worker has its own, become the mean of the workers'
 * on all ranks. */
void parallel_average(Parallel *parallel, Net *net);

#endif
