/* What is sent when: the plans of data-parallel SGD by name, and those that are known only after a few steps.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_DATA_OVERLAP_H
#define MPI_PARALLEL_DATA_OVERLAP_H

#include "mpi/model/fit.h"
#include "mpi/parallel/data/buckets.h"
#include "mpi/parallel/parallel.h"

/* In the order of step_modes (mpi/model/merge.h), which names them. */
typedef enum OverlapKind {
    OVERLAP_NAIVE,
    OVERLAP_FUSED,
    OVERLAP_WFBP,
    OVERLAP_DDP,
    OVERLAP_GREEDY,
    OVERLAP_OPTIMAL,
    OVERLAPS
} OverlapKind;

/* The names of DataOptions.overlap. False with a sentence that lists them. */
bool overlap_named(const char *name, OverlapKind *kind, Error *error);

/* The plan to begin with, and whether its buckets are sent during backward. Options that are 0 have PyTorch's values, 1 MiB and
 * 25 MiB. */
Buckets overlap_plan(OverlapKind kind, const BucketTensors *tensors, const DataOptions *options);
bool overlap_at_once(OverlapKind kind);

/* DDP: the tensors in the order in which rank 0 has seen them become final, for a plan that sends them in that order. All ranks
 * must call. */
void overlap_reorder(Comm *comm, const Collectives *collectives, BucketTensors *tensors, const int *order);

/* greedy and optimal: what the model must know, measured on these ranks in a few steps of each kind. Layers are timed while their
 * gradients are sent, which takes something of the core: a plan from undisturbed times would expect them too early. The model knows
 * nothing of ranks whose cores have no time for a second thread; so in the end the kind whose steps were the fastest stays. */
typedef enum Trial { TRIAL_FUSED, TRIAL_WFBP, TRIAL_PLANNED, TRIALS } Trial;
enum { TRIAL_STEPS = 4 }; /* of each; the first is not counted: all is new to caches and system */

typedef struct Measured {
    double *seconds; /* [TRIAL_STEPS][layers]: of each layer's backward, in the order of the tensors' layers */
    double step[TRIALS][TRIAL_STEPS]; /* seconds until all sums were there */
    int steps;                        /* so far, of all kinds */
    double *bytes;                    /* [layers]: of each layer's gradients */
    int layers;
    Curve all_reduce; /* seconds of an all-reduce over bytes, when nothing else is done */
} Measured;

/* All ranks must call. `room`, which is as long as all gradients, is written to. Free with measured_free. */
Measured *measured_create(Comm *comm, const Collectives *collectives, const BucketTensors *tensors, float *room);
void measured_free(Measured *measured); /* NULL is allowed */

/* One more step of this rank: it took `step` seconds, and seconds[layers] the backward pass. */
void measured_add(Measured *measured, double step, const double *seconds);

/* After TRIAL_STEPS of wfbp: the groups of layers that the model predicts to be the best, from the times of the slowest rank
 * of each layer. All ranks must call, and get the same. */
Buckets measured_plan(const Measured *measured, OverlapKind kind, Comm *comm, const Collectives *collectives,
                      const BucketTensors *tensors);

/* After all steps: the kind that took the slowest rank least. All ranks must call, and get the same. */
Trial measured_best(const Measured *measured, Comm *comm, const Collectives *collectives);

#endif
