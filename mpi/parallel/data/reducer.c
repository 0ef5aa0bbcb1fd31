/* SPDX-License-Identifier: MIT */
#include "mpi/parallel/data/reducer.h"
#include "core/array.h"
#include "core/checked.h"
#include "core/clock.h"

/* What the queue calls for a bucket. The mean over the global batch is a sum here: each rank's gradient is already weighted by
 * its fraction of the global batch. */
static void
reduce(void *context)
{
    BucketTimes *times = context;
    const Reducer *reducer = times->reducer;
    const Bucket *bucket = &reducer->plan.bucket[times - reducer->times];
    float *sum = reducer->gradients + bucket->first;
    times->begin = clock_now();
    reducer->collectives->all_reduce(reducer->comm, sum, sum, bucket->count, ELEMENT_FLOAT, REDUCTION_SUM);
    times->end = clock_now();
}

Reducer *
reducer_create(Queue *queue, Comm *comm, const Collectives *collectives, float *gradients, const BucketTensors *tensors,
               const Buckets *plan, bool overlapped)
{
    Reducer *reducer = ARRAY(Reducer, 1);
    *reducer = (Reducer){.queue = queue,
                         .comm = comm,
                         .collectives = collectives,
                         .gradients = gradients,
                         .tensors = *tensors,
                         .plan = *plan,
                         .overlapped = overlapped};
    reducer->times = ARRAY(BucketTimes, (size_t)plan->buckets);
    for (int b = 0; b < plan->buckets; b++)
        reducer->times[b].reducer = reducer;
    reducer->pending = ARRAY(int, (size_t)plan->buckets);
    reducer->reported = ARRAY(bool, (size_t)tensors->count);
    reducer->ready_order = ARRAY(int, (size_t)tensors->count);
    return reducer;
}

void
reducer_free(Reducer *reducer)
{
    if (reducer == NULL)
        return;
    queue_wait(reducer->queue, reducer->last);
    array_free(reducer->times);
    array_free(reducer->pending);
    array_free(reducer->reported);
    array_free(reducer->ready_order);
    array_free(reducer);
}

void
reducer_stage(Reducer *reducer, const Memory *memory, float *device)
{
    reducer->memory = memory;
    reducer->device = device;
}

void
reducer_begin(Reducer *reducer)
{
    reducer->next_bucket = reducer->ready_count = 0;
    for (int b = 0; b < reducer->plan.buckets; b++)
        reducer->pending[b] = reducer->plan.bucket[b].tensors;
    memset(reducer->reported, 0, (size_t)reducer->tensors.count * sizeof(bool));
}

/* Buckets take the tensors of the list in turn. */
static int
bucket_of(const Reducer *reducer, int tensor)
{
    int b = 0;
    for (int end = reducer->plan.bucket[0].tensors; end <= tensor; end += reducer->plan.bucket[b].tensors)
        b++;
    return b;
}

/* EXERCISE 07.2  The gradient hook, first half: count (10 min, about 3 lines)
 * The gradient of this tensor is final. One tensor fewer is pending in its bucket; if none is any more, the bucket is ready, and
 * its time is noted for the trace: times[b].ready = clock_now(). */
static void
mark_ready(Reducer *reducer, int tensor)
{
    CHECK_THAT(!reducer->reported[tensor], "the gradient of tensor %d becomes final a second time", tensor);
    reducer->reported[tensor] = true;
    reducer->ready_order[reducer->ready_count++] = tensor;
    /* BEGIN SOLUTION 07.2 */
    const int b = bucket_of(reducer, tensor);
    if (--reducer->pending[b] == 0)
        reducer->times[b].ready = clock_now();
    /* END SOLUTION */
}

/* The queue adds up bucket b after those that it was given before; nobody waits here. */
static void
submit(Reducer *reducer, int b)
{
    if (reducer->overlapped)
        reducer->last = queue_call(reducer->queue, reducer->comm, reduce, &reducer->times[b]);
}

/* EXERCISE 07.2  The gradient hook, second half: launch in order (15 min, about 5 lines)
 * Submit the buckets that are ready, in order: bucket b may go if nothing is pending in it, nor in any bucket before it. Buckets
 * 0 .. next_bucket - 1 are submitted. While bucket next_bucket may go, submit() it, and move next_bucket on. */
static void
launch(Reducer *reducer)
{
    /* BEGIN SOLUTION 07.2 */
    while (reducer->next_bucket < reducer->plan.buckets && reducer->pending[reducer->next_bucket] == 0)
        submit(reducer, reducer->next_bucket++);
    /* END SOLUTION */
}

void
reducer_ready(Reducer *reducer, size_t first, size_t count)
{
    size_t found = 0;
    if (reducer->device != NULL)
        reducer->memory->copy_out(reducer->gradients + first, reducer->device + first, count * sizeof(float));
    for (int t = 0; t < reducer->tensors.count; t++) {
        const BucketTensor *tensor = &reducer->tensors.tensor[t];
        if (tensor->first >= first && tensor->first + tensor->count <= first + count) {
            mark_ready(reducer, t);
            found += tensor->count;
        }
    }
    CHECK_THAT(found == count, "gradients %zu to %zu are not whole tensors", first, first + count - 1);
    launch(reducer);
}

/* Ranks may have used different layers: each still takes part in all sums, or the others would wait for ever. */
static void
report_unused(Reducer *reducer)
{
    for (int t = 0; t < reducer->tensors.count; t++) {
        const BucketTensor *tensor = &reducer->tensors.tensor[t];
        if (reducer->reported[t])
            continue;
        memset(reducer->gradients + tensor->first, 0, tensor->count * sizeof(float));
        mark_ready(reducer, t);
    }
    launch(reducer);
}

void
reducer_finish(Reducer *reducer)
{
    report_unused(reducer);
    for (int b = 0; !reducer->overlapped && b < reducer->plan.buckets; b++)
        queue_run(reducer->queue, reducer->comm, reduce, &reducer->times[b]);
    queue_wait(reducer->queue, reducer->last);
    for (int t = 0; reducer->device != NULL && t < reducer->tensors.count; t++) {
        const BucketTensor *tensor = &reducer->tensors.tensor[t];
        reducer->memory->copy_in(reducer->device + tensor->first, reducer->gradients + tensor->first,
                                 tensor->count * sizeof(float));
    }
}
