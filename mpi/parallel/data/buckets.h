/* Which gradients travel together. Backpropagation finishes the gradients of the last layer first; they stand in one array in the
 * order of creation, so they become final from the end of the array to its beginning, and tensors that follow each other in time
 * are one range, that can be sent as it stands.
 *
 *     array       [ conv1.w | conv1.b | conv2.w | conv2.b | fc.w | fc.b ]
 *     tensors         5         4         3         2        1      0      in the order in which they are finished
 *     naive           5         4         3         2        1      0      a bucket each
 *     wfbp        [       2          |        1          |      0      ]   a bucket for each layer
 *     capped      [            1               |           0           ]   closed when it has reached its size
 *     fused       [                       0                            ]   one bucket
 *
 * Nothing here communicates.
 * SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_DATA_BUCKETS_H
#define MPI_PARALLEL_DATA_BUCKETS_H

#include "nn/net.h"

typedef struct BucketTensor {
    size_t first, count; /* its range of the gradient array */
    int layer; /* it is finished together with all tensors of this number: 0 for the last layer of the network */
} BucketTensor;

/* Tensors in the order in which they are finished. */
typedef struct BucketTensors {
    BucketTensor *tensor; /* [count], owned */
    int count, layers;
} BucketTensors;

/* Of a network, which need not be built. Free with array_free(tensors.tensor). */
BucketTensors buckets_tensors(const Net *net);

typedef struct Bucket {
    size_t first, count; /* its range of the gradient array */
    int tensors;         /* that many, the next ones of the list */
} Bucket;

typedef struct Buckets {
    Bucket *bucket; /* [buckets], owned, in the order in which they are sent. Free with array_free(plan.bucket). */
    int buckets;
} Buckets;

Buckets buckets_by_tensor(const BucketTensors *tensors);
Buckets buckets_by_layer(const BucketTensors *tensors);
Buckets buckets_whole(const BucketTensors *tensors);

/* Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", 2020 (arXiv:2006.15704), Algorithm 1, and
 * torch/csrc/distributed/c10d/reducer.cpp: a bucket is closed by the tensor that brings it to `cap` bytes, the first to
 * `first_cap`, so that sending begins early. */
Buckets buckets_by_size(const BucketTensors *tensors, size_t first_cap, size_t cap);

/* Layers with the same group[layer] (which grow with the layer, by at most 1) are one bucket. */
Buckets buckets_by_group(const BucketTensors *tensors, const int *group);

#endif
