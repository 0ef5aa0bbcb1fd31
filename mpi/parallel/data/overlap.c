/* SPDX-License-Identifier: MIT */
#include "mpi/parallel/data/overlap.h"
#include "core/array.h"
#include "core/nearest.h"
#include "mpi/model/merge.h"
#include <stdio.h>

_Static_assert((int)OVERLAPS == (int)STEP_MODES, "every overlap is a mode of the model, of the same number");

bool
overlap_named(const char *name, OverlapKind *kind, Error *error)
{
    char list[128] = "";
    Nearest nearest = nearest_to(name);
    for (int i = 0; i < OVERLAPS; i++) {
        *kind = (OverlapKind)i;
        if (strcmp(name, step_modes[i]) == 0)
            return true;
        nearest_offer(&nearest, step_modes[i]);
        snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i == 0 ? "" : ", ", step_modes[i]);
    }
    if (nearest.name != NULL)
        return error_set(error, "there is no overlap '%s', did you mean %s? There are %s", name, nearest.name, list);
    return error_set(error, "there is no overlap '%s', expected one of %s", name, list);
}

bool
overlap_at_once(OverlapKind kind)
{
    return kind == OVERLAP_WFBP || kind == OVERLAP_DDP;
}

/* torch/csrc/distributed/c10d/reducer.hpp: kDefaultFirstBucketBytes, kDefaultBucketBytesCap. */
static Buckets
buckets_ddp(const BucketTensors *tensors, const DataOptions *options)
{
    const size_t first_cap = options->first_bucket > 0 ? options->first_bucket : 1 << 20;
    const size_t cap = options->bucket > 0 ? options->bucket : 25 << 20;
    return buckets_by_size(tensors, first_cap, cap);
}

Buckets
overlap_plan(OverlapKind kind, const BucketTensors *tensors, const DataOptions *options)
{
    switch (kind) {
    case OVERLAP_NAIVE:
        return buckets_by_tensor(tensors);
    case OVERLAP_WFBP:
        return buckets_by_layer(tensors);
    case OVERLAP_DDP:
        return buckets_ddp(tensors, options);
    default: /* fused; and those that measure backward first, undisturbed */
        return buckets_whole(tensors);
    }
}

/* Rank 0's order for all, as in PyTorch: with orders of their own they would add different tensors. Here backward is
 * the reverse of how the net was built, on every rank, and the first plan has this order already; where branches of a graph are run
 * at once, it is known only after a step. */
void
overlap_reorder(Comm *comm, const Collectives *collectives, BucketTensors *tensors, const int *order)
{
    const size_t count = (size_t)tensors->count;
    int32_t *agreed = ARRAY(int32_t, count);
    BucketTensor *before = ARRAY(BucketTensor, count);
    for (size_t t = 0; t < count; t++)
        agreed[t] = order[t];
    collectives->broadcast(comm, agreed, count, ELEMENT_INT32, 0);
    memcpy(before, tensors->tensor, count * sizeof(BucketTensor));
    for (size_t t = 0; t < count; t++)
        tensors->tensor[t] = before[agreed[t]];
    array_free(before);
    array_free(agreed);
}
