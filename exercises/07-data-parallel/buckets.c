/* LAB 07, exercise 07.1. This copy of mpi/parallel/data/buckets.c is yours to complete: it takes that file's place
 * when the lab is graded. Replace the lines EXERCISE_NOT_SOLVED by your code. In the root of the project:
 *
 *     make grade LAB=07       points for each exercise, and the first wrong value
 *     make hint LAB=07.1      the next hint for an exercise
 *     make watch LAB=07       grade again whenever this file is saved
 *     make reset LAB=07       begin again; your version is kept in .rungs/backup
 *
 * Teachers: `make labs` cuts this file from mpi/parallel/data/buckets.c; change it there. */
/* SPDX-License-Identifier: MIT */
#include "mpi/parallel/data/buckets.h"
#include "core/array.h"
#include "core/checked.h"

/* Layers become final from the last to the first, and parameters are in the order of layers. */
BucketTensors
buckets_tensors(const Net *net)
{
    const int count = net_parameter_tensors(net);
    BucketTensors tensors = {.tensor = ARRAY(BucketTensor, (size_t)count), .count = count};
    size_t left = net_parameter_count(net); /* of the layers that are not finished */
    int t = 0;
    for (int l = net_layer_count(net) - 1; l > 0; l--) {
        const LayerInfo layer = net_layer_info(net, l);
        left -= layer.held ? layer.parameters : 0;
        const int before = t;
        for (; t < count && net_parameter(net, count - 1 - t)->first >= left; t++) {
            const Parameter *parameter = net_parameter(net, count - 1 - t);
            tensors.tensor[t] = (BucketTensor){parameter->first, parameter->count, tensors.layers};
        }
        tensors.layers += t > before;
    }
    return tensors;
}

/* Whether the tensor stands right before the range, or right behind it. */
static bool
adjoins(const Bucket *bucket, const BucketTensor *tensor)
{
    return tensor->first + tensor->count == bucket->first || bucket->first + bucket->count == tensor->first;
}

static Buckets
empty_plan(const BucketTensors *tensors)
{
    return (Buckets){.bucket = ARRAY(Bucket, (size_t)tensors->count)};
}

/* The next tensor, into the last bucket or into one of its own: always so if it does not adjoin. */
static Bucket *
add(Buckets *plan, const BucketTensor *tensor, bool open)
{
    Bucket *last = plan->buckets > 0 ? &plan->bucket[plan->buckets - 1] : NULL;
    if (last == NULL || !open || !adjoins(last, tensor)) {
        last = &plan->bucket[plan->buckets++];
        *last = (Bucket){.first = tensor->first};
    }
    last->first = tensor->first < last->first ? tensor->first : last->first;
    last->count += tensor->count;
    last->tensors++;
    return last;
}

Buckets
buckets_by_tensor(const BucketTensors *tensors)
{
    Buckets plan = empty_plan(tensors);
    for (int t = 0; t < tensors->count; t++)
        add(&plan, &tensors->tensor[t], false);
    return plan;
}

Buckets
buckets_by_layer(const BucketTensors *tensors)
{
    Buckets plan = empty_plan(tensors);
    for (int t = 0; t < tensors->count; t++)
        add(&plan, &tensors->tensor[t], t > 0 && tensors->tensor[t].layer == tensors->tensor[t - 1].layer);
    return plan;
}

Buckets
buckets_whole(const BucketTensors *tensors)
{
    Buckets plan = empty_plan(tensors);
    for (int t = 0; t < tensors->count; t++)
        add(&plan, &tensors->tensor[t], true);
    return plan;
}

/* EXERCISE 07.1  Buckets (15 min, about 7 lines)
 * Return buckets of about `cap` bytes; the first is closed at first_cap. Go through the tensors in the order of the list, in which
 * they are finished; put each into the bucket that is open. The tensor that brings a bucket to its cap, or above, closes it, and
 * the next one opens another. A tensor is never cut, and the last bucket may stay below its cap. Gradients are floats. empty_plan()
 * begins; add(&plan, tensor, open) puts a tensor into the last bucket if `open`, else into a new one, and returns the bucket. */
Buckets
buckets_by_size(const BucketTensors *tensors, size_t first_cap, size_t cap)
{
    EXERCISE_NOT_SOLVED("07.1"); /* TODO: about 7 lines */
}

Buckets
buckets_by_group(const BucketTensors *tensors, const int *group)
{
    Buckets plan = empty_plan(tensors);
    for (int t = 0; t < tensors->count; t++)
        add(&plan, &tensors->tensor[t],
            t > 0 && group[tensors->tensor[t].layer] == group[tensors->tensor[t - 1].layer]);
    return plan;
}
