/* LAB 07, exercise 07.3. This copy of mpi/parallel/data/data.c is yours to complete: it takes that file's place
 * when the lab is graded. Replace the lines EXERCISE_NOT_SOLVED by your code. In the root of the project:
 *
 *     make grade LAB=07       points for each exercise, and the first wrong value
 *     make hint LAB=07.3      the next hint for an exercise
 *     make watch LAB=07       grade again whenever this file is saved
 *     make reset LAB=07       begin again; your version is kept in .rungs/backup
 *
 * Teachers: `make labs` cuts this file from mpi/parallel/data/data.c; change it there. */
/* Data-parallel training (data.h): what happens in a step. SPDX-License-Identifier: MIT */
#include "mpi/parallel/data/data.h"
#include "core/array.h"
#include "core/checked.h"
#include "core/clock.h"
#include "core/units.h"
#include "mpi/parallel/data/overlap.h"
#include "nn/exchange.h"
#include <stdio.h>

typedef struct Data {
    Parallel parallel; /* first: a Parallel * of this kind is a Data * */
    Net *net;
    float *gradients; /* in the host's memory: the net's own, or room for them (reducer_stage) */
    OverlapKind overlap;
    BucketTensors tensors;
    Buckets plan;
    Reducer *reducer;
    Measured *measured; /* greedy and optimal, until their plan is final */
    int steps;          /* learned so far */
    DataLayer *layers;  /* [tensors.layers] of the timeline */
    int ready;          /* of these, in this step */
    DataTimeline timeline;
    Exchange exchange; /* for synchronised batch normalisation; sum NULL: it is not */
} Data;

/* ---- plans ------------------------------------------------------------------------------------------------------------- */

static void
use_plan(Data *data, Buckets plan, bool at_once)
{
    reducer_free(data->reducer);
    array_free(data->plan.bucket);
    data->plan = plan;
    data->reducer = reducer_create(data->parallel.queue, data->parallel.comm, data->parallel.options.collectives,
                                   data->gradients, &data->tensors, &data->plan, at_once);
    if (data->gradients != net_gradients(data->net))
        reducer_stage(data->reducer, net_backend(data->net)->memory, net_gradients(data->net));
    data->timeline.buckets = plan.buckets;
    data->timeline.bucket = data->plan.bucket;
    data->timeline.times = data->reducer->times;
}

static void
use_overlap(Data *data, OverlapKind kind)
{
    use_plan(data, overlap_plan(kind, &data->tensors, data->parallel.options.own), overlap_at_once(kind));
}

/* greedy and optimal: fused steps, wait-free ones, some with the plan; then whatever was the fastest. */
static void
try_plans(Data *data)
{
    static const OverlapKind kinds[] = {[TRIAL_FUSED] = OVERLAP_FUSED, [TRIAL_WFBP] = OVERLAP_WFBP};
    Comm *comm = data->parallel.comm;
    const Collectives *collectives = data->parallel.options.collectives;
    Measured *measured = data->measured;
    if (measured->steps % TRIAL_STEPS > 0)
        return;
    if (measured->steps == TRIAL_WFBP * TRIAL_STEPS)
        use_overlap(data, OVERLAP_WFBP);
    if (measured->steps == TRIAL_PLANNED * TRIAL_STEPS)
        use_plan(data, measured_plan(measured, data->overlap, comm, collectives, &data->tensors), true);
    if (measured->steps < TRIALS * TRIAL_STEPS)
        return;
    const Trial best = measured_best(measured, comm, collectives);
    if (best != TRIAL_PLANNED)
        use_overlap(data, kinds[best]);
    measured_free(measured);
    data->measured = NULL;
}

static void
change_plan(void *context)
{
    Data *data = context;
    Comm *comm = data->parallel.comm;
    const Collectives *collectives = data->parallel.options.collectives;
    if (data->measured != NULL) {
        try_plans(data);
        return;
    }
    overlap_reorder(comm, collectives, &data->tensors, data->reducer->ready_order);
    use_overlap(data, OVERLAP_DDP);
}

/* Before a step, on all ranks before the same one: another plan, if the steps so far have shown a better one. */
static void
improve_plan(Data *data)
{
    if (data->measured != NULL || (data->overlap == OVERLAP_DDP && data->steps == 1))
        queue_run(data->parallel.queue, data->parallel.comm, change_plan, data);
}

/* From the end of one layer's backward to the end of the next one's. */
static void
measure_step(const Data *data)
{
    const DataTimeline *t = &data->timeline;
    double *seconds = ARRAY(double, (size_t)t->layers), before = t->pass.backward;
    for (int l = 0; l < t->layers; l++) {
        seconds[l] = t->layer[l].ready - before;
        before = t->layer[l].ready;
    }
    measured_add(data->measured, t->waited - t->pass.begin, seconds);
    array_free(seconds);
}

/* ---- a step ------------------------------------------------------------------------------------------------------------ */

/* The network's hook. */
static void
gradients_ready(void *context, size_t first, size_t count)
{
    Data *data = context;
    data->layers[data->ready++].ready = clock_now();
    reducer_ready(data->reducer, first, count);
}

static void
record(const Data *data, Trainer *trainer)
{
    const DataTimeline *t = &data->timeline;
    Trace *trace = trainer->trace;
    const int rank = trainer->process;
    char name[128], size[UNITS_SIZE];
    if (trace == NULL)
        return;
    double before = t->pass.backward;
    for (int l = 0; l < t->layers; l++) {
        snprintf(name, sizeof(name), "backward %s", t->layer[l].name);
        trace_span(trace, name, "layer", rank, 0, before, t->layer[l].ready);
        before = t->layer[l].ready;
    }
    for (int b = 0; b < t->buckets; b++) {
        units_bytes(size, (double)(t->bucket[b].count * sizeof(float)));
        snprintf(name, sizeof(name), "bucket %d: %s", b, size);
        trace_span(trace, name, "bucket", rank, 1, t->times[b].begin, t->times[b].end);
    }
    trace_span(trace, "wait", "train", rank, 0, t->wait, t->waited);
    trace_span(trace, "update", "train", rank, 0, t->update, t->end);
}

/* EXERCISE 07.3  A step (15 min, about 10 lines)
 * From the batch to moved weights. Begin the step of the reducer; compute the gradients by parallel_gradient(), which calls
 * gradients_ready() for each layer; wait until all sums are there; let the ranks agree on loss and stop by parallel_agree(), which
 * takes this rank's share of the loss; move the weights by optimizer_step(), with step->rate. From reducer_begin to the end of
 * reducer_finish nobody may communicate but through the queue. For the trace, clock_now() goes into t->wait and t->waited before
 * and behind the waiting, into t->update and t->end before and behind the optimiser, and data->parallel.times into t->pass. */
static void
learn(void *context, Trainer *trainer, TrainStep *step)
{
    Data *data = context;
    DataTimeline *t = &data->timeline;
    improve_plan(data);
    data->ready = 0;
    EXERCISE_NOT_SOLVED("07.3"); /* TODO: about 10 lines */
    record(data, trainer);
    if (data->measured != NULL)
        measure_step(data);
    data->steps++;
}

typedef struct Sum {
    const Parallel *parallel;
    double *x;
    size_t n;
} Sum;

static void
add_up(void *context)
{
    const Sum *sum = context;
    const Parallel *parallel = sum->parallel;
    parallel->options.collectives->all_reduce(parallel->comm, sum->x, sum->x, sum->n, ELEMENT_DOUBLE, REDUCTION_SUM);
}

/* The sum of synchronised batch normalisation: queued among the buckets, in the same order on all ranks. */
static void
sum_of_ranks(void *context, double *x, size_t n)
{
    const Data *data = context;
    Sum sum = {&data->parallel, x, n};
    queue_run(data->parallel.queue, data->parallel.comm, add_up, &sum);
}

/* Weights, optimiser and losses are the same on all ranks. The running averages of batch normalisation are each rank's own,
 * unless it is synchronised. */
static void
synchronise(void *context, Trainer *trainer)
{
    const Data *data = context;
    if (data->exchange.sum == NULL)
        parallel_average(context, trainer->net);
}

/* ---- begin and end ----------------------------------------------------------------------------------------------------- */

static void
data_free(Parallel *parallel)
{
    Data *data = (Data *)parallel;
    net_on_gradient(data->net, NULL, NULL);
    net_exchange(data->net, NULL);
    reducer_free(data->reducer);
    if (data->gradients != net_gradients(data->net))
        array_free(data->gradients);
    measured_free(data->measured);
    array_free(data->plan.bucket);
    array_free(data->tensors.tensor);
    array_free(data->layers);
    array_free(data);
}

static void
report(Parallel *parallel, FILE *out)
{
    const DataTimeline *t = data_timeline(parallel);
    const DataOptions *options = parallel->options.own;
    if (parallel->comm->rank != 0)
        return;
    fprintf(out, "overlap %s: %d bucket%s:", options->overlap, t->buckets, t->buckets == 1 ? "" : "s");
    for (int b = 0; b < t->buckets; b++) {
        char size[UNITS_SIZE];
        fprintf(out, "%s %s", b == 0 ? "" : ",", units_bytes(size, (double)(t->bucket[b].count * sizeof(float))));
    }
    fprintf(out, "\n");
}

/* Ranges and names: "fc1" of fc1.weight and fc1.bias. */
static DataLayer *
layers_of(const Net *net, const BucketTensors *tensors)
{
    DataLayer *layers = ARRAY(DataLayer, (size_t)tensors->layers);
    for (int t = 0; t < tensors->count; t++) {
        const Parameter *parameter = net_parameter(net, tensors->count - 1 - t);
        DataLayer *layer = &layers[tensors->tensor[t].layer];
        snprintf(layer->name, sizeof(layer->name), "%s", parameter->name);
        *strrchr(layer->name, '.') = '\0';
        layer->first = parameter->first;
        layer->count += parameter->count;
    }
    return layers;
}

Parallel *
data_create(const Parallel *base, Net *net, Error *error)
{
    const DataOptions *options = base->options.own;
    const Collectives *collectives = base->options.collectives;
    OverlapKind overlap;
    if (!overlap_named(options->overlap, &overlap, error))
        return NULL;
    if (options->sync_batchnorm && net_backend(net)->memory->separate) {
        error_set(error, "--sync-batchnorm: batch normalisation is synchronised in the host's memory only: train on "
                         "--device cpu");
        return NULL;
    }
    if (options->sync_batchnorm && net_average_count(net) == 0) {
        error_set(error,
                  "--sync-batchnorm: this network has no batch normalisation to synchronise: leave the option out");
        return NULL;
    }
    Data *data = ARRAY(Data, 1);
    data->parallel = *base;
    data->parallel.group = (TrainGroup){
        .context = data, .in_step = true, .part = parallel_part, .learn = learn, .synchronise = synchronise};
    data->parallel.free = data_free;
    data->parallel.report = report;
    data->net = net;
    data->gradients = net_backend(net)->memory->separate ? ARRAY(float, net_parameter_count(net)) : net_gradients(net);
    data->overlap = overlap;
    data->tensors = buckets_tensors(net);
    data->layers = layers_of(net, &data->tensors);
    data->timeline.layer = data->layers;
    data->timeline.layers = data->tensors.layers;
    if (overlap == OVERLAP_GREEDY || overlap == OVERLAP_OPTIMAL)
        data->measured = measured_create(base->comm, collectives, &data->tensors, data->gradients);
    else /* what a rung makes in its first call, it makes now, and not beside computing threads */
        collectives->all_reduce(base->comm, data->gradients, data->gradients, net_parameter_count(net), ELEMENT_FLOAT,
                                REDUCTION_SUM);
    use_plan(data, overlap_plan(overlap, &data->tensors, options), overlap_at_once(overlap));
    net_on_gradient(net, gradients_ready, data);
    if (options->sync_batchnorm)
        data->exchange = (Exchange){data, sum_of_ranks};
    net_exchange(net, options->sync_batchnorm ? &data->exchange : NULL);
    return &data->parallel;
}

const DataTimeline *
data_timeline(const Parallel *parallel)
{
    return &((const Data *)parallel)->timeline;
}
