/* The gradients of all ranks are summed, bucket by bucket: the heart of data parallelism, and Algorithm 1 of Li et al.
 * (arXiv:2006.15704) but for what stands in data.c.
 *
 *     reducer_begin    no tensor is final
 *     reducer_ready    these are now: when all of a bucket are final and all buckets before it are submitted, it is submitted
 *     reducer_finish   tensors that nobody reported are zeros (the layer took no part); waits until every sum is there
 *
 * Buckets are sent strictly in their order, also where a later one is complete before an earlier one: a collective has no name, so
 * the k-th all-reduce of a rank meets the k-th of the others. They go through the queue (mpi/parallel/queue.h), and so must
 * whatever else is communicated between reducer_begin and the end of reducer_finish.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_DATA_REDUCER_H
#define MPI_PARALLEL_DATA_REDUCER_H

#include "mpi/collectives/collectives.h"
#include "mpi/parallel/data/buckets.h"
#include "mpi/parallel/queue.h"
#include "nn/backend.h"

/* Of the last step, in seconds of clock_now(). */
typedef struct BucketTimes {
    double ready;      /* its last gradient was final */
    double begin, end; /* its all-reduce on this rank */
    struct Reducer *reducer;
} BucketTimes;

typedef struct Reducer {
    Queue *queue;
    Comm *comm;
    const Collectives *collectives;
    float *gradients;
    BucketTensors tensors; /* not owned */
    Buckets plan;          /* not owned */
    BucketTimes *times;    /* [plan.buckets] */
    int *pending;          /* [plan.buckets]: tensors that are not final yet */
    int next_bucket;       /* the first that is not submitted */
    bool *reported;        /* [tensors.count] */
    int *ready_order;      /* [tensors.count]: in which they became final, the unused ones last */
    int ready_count;       /* how many of it are filled */
    bool overlapped;       /* otherwise buckets are sent in reducer_finish */
    Ticket last;           /* of the bucket that was submitted last */
    const Memory *memory;  /* of device, if that is not NULL */
    float *device;
} Reducer;

/* Sums are written over `gradients`, the array that the plan's ranges are of. Overlapped: the queue communicates while the caller
 * goes on computing. queue, gradients, tensors and plan must live as long as it does. */
Reducer *reducer_create(Queue *queue, Comm *comm, const Collectives *collectives, float *gradients,
                        const BucketTensors *tensors, const Buckets *plan, bool overlapped);
void reducer_free(Reducer *reducer); /* NULL is allowed */

/* For gradients in the memory of a device, which neither combine() nor every MPI can read: `gradients` is then room in the host's
 * memory, to which they are copied as they become final, and from which the sums are copied back at the end of reducer_finish. */
void reducer_stage(Reducer *reducer, const Memory *memory, float *device);

void reducer_begin(Reducer *reducer);

/* gradients[first .. first+count-1], which are complete tensors, have their final value on this rank. */
void reducer_ready(Reducer *reducer, size_t first, size_t count);

void reducer_finish(Reducer *reducer);

#endif
