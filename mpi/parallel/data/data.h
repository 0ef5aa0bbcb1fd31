/* Data-parallel SGD: every rank has a replica of the network and a slice of each global batch. It computes the gradient of its
 * slice, weighted by the fraction of the global batch that the slice is; the sum over the ranks is the gradient of the global
 * batch, on all of them; all take the same step, and so their weights stay the same.
 *
 * What is added when (DataOptions.overlap). A network of three layers; F forward, B3 backward of layer 3, C3 the all-reduce of
 * its gradients, U update. A rank computes in its first line, and its thread communicates in the second.
 *
 *     naive     | F         | B3  | B2  | B1  | C3  | C2  | C1  | U |           a tensor at a time, after the last gradient
 *
 *     fused     | F         | B3  | B2  | B1  | C3,2,1    | U |                 one message costs alpha once
 *
 *     wfbp      | F | B3 | B2 | B1 | wait| U | each layer's overlaps with the next layer's backward:
 *                                 | C3  | C2  | C1  |                           wait-free backpropagation
 *
 *     ddp       | F         | B3  | B2  | B1  | w | U |                         buckets of a size: few messages, and early ones
 *                                       | C3,2  |C1|
 *
 *     greedy, optimal: the buckets that the model (mpi/model/merge.h) predicts to end first, from the measured times of B1, B2, ..
 *
 * Sources: Zhang et al., "Poseidon", 2017 (arXiv:1706.03292: wait-free backpropagation); Li et al., "PyTorch Distributed", 2020
 * (arXiv:2006.15704: ddp); Shi, Chu and Li, "MG-WFBP", 2019 (arXiv:1811.11141: greedy).
 *
 * A network on a device (--device gpu, emulator): gradients are copied to the host as they become final, summed there, and copied
 * back. The sums are the host's work in any case: combine() runs there, whatever MPI can read (mpi/device_memory.h).
 *
 * Batch normalisation takes the statistics of each rank's own slice, and their running averages become the ranks' mean at the
 * end of an epoch: a network with it is not that of one process, whatever the overlap; all others are, but for rounding. With
 * DataOptions.sync_batchnorm it is, too: each layer adds up its sums over the ranks.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_DATA_H
#define MPI_PARALLEL_DATA_H

#include "mpi/parallel/data/options.h"
#include "mpi/parallel/data/reducer.h"
#include "mpi/parallel/parallel.h"

/* Strategy.create. */
Parallel *data_create(const Parallel *base, Net *net, Error *error);

/* A layer that has parameters. */
typedef struct DataLayer {
    char name[64];       /* "fc1", "layers.0" */
    size_t first, count; /* its range of the gradient array */
    double ready;        /* when it got its final value */
} DataLayer;

/* The last step of this rank, in seconds of clock_now(). */
typedef struct DataTimeline {
    ParallelTimes pass; /* forward and backward */
    int layers;
    const DataLayer *layer; /* [layers], in the order in which backpropagation finishes them */
    int buckets;
    const Bucket *bucket;     /* [buckets], in the order in which they were sent */
    const BucketTimes *times; /* [buckets] */
    double wait, waited;      /* for the communication: from the end of backward on */
    double update, end;       /* the step of the optimiser */
} DataTimeline;

/* Of a Parallel of strategy "data". It holds until the next step. */
const DataTimeline *data_timeline(const Parallel *parallel);

#endif
