/* Data-parallel training (data.h): what happens in a step. SPDX-License-Identifier: MIT */
#include "mpi/parallel/data/data.h"
#include "core/array.h"
#include "core/clock.h"
#include "core/nearest.h"
#include "core/units.h"
#include <stdio.h>

typedef enum Overlap { OVERLAP_NAIVE, OVERLAP_FUSED, OVERLAPS } Overlap;
static const char *const overlap_names[OVERLAPS] = {"naive", "fused"};

typedef struct Data {
    Parallel parallel; /* first: a Parallel * of this kind is a Data * */
    Net *net;
    Overlap overlap;
    PlanTensors tensors;
    Plan plan;
    Reducer *reducer;
    DataLayer *layers; /* [tensors.layers] of the timeline */
    DataTimeline timeline;
} Data;

/* ---- a step ------------------------------------------------------------------------------------------------------------ */

/* The network's hook. */
static void
gradients_ready(void *context, size_t first, size_t count)
{
    Data *data = context;
    data->layers[data->timeline.layers++] = (DataLayer){first, count, clock_now()};
    reducer_ready(data->reducer, first, count);
}

static void
record(const Data *data, Trainer *trainer)
{
    const DataTimeline *t = &data->timeline;
    if (trainer->trace == NULL)
        return;
    double begin = t->pass.backward;
    for (int l = 0; l < t->layers; l++) {
        char name[64];
        snprintf(name, sizeof(name), "backward %d", t->layers - l);
        trace_span(trainer->trace, name, "layer", trainer->process, 0, begin, t->layer[l].ready);
        begin = t->layer[l].ready;
    }
    for (int b = 0; b < t->buckets; b++) {
        char name[64], size[UNITS_SIZE];
        snprintf(name, sizeof(name), "bucket %d: %s", b, units_bytes(size, (double)t->bucket[b].count * sizeof(float)));
        trace_span(trainer->trace, name, "bucket", trainer->process, 1, t->times[b].begin, t->times[b].end);
    }
    trace_span(trainer->trace, "wait", "train", trainer->process, 0, t->wait, t->waited);
    trace_span(trainer->trace, "update", "train", trainer->process, 0, t->update, t->end);
}

static void
learn(void *context, Trainer *trainer, TrainStep *step)
{
    Data *data = context;
    DataTimeline *t = &data->timeline;
    t->layers = 0;
    reducer_begin(data->reducer);
    const double share = parallel_gradient(&data->parallel, trainer, step); /* calls gradients_ready for each layer */
    t->pass = data->parallel.times;
    t->wait = clock_now();
    reducer_finish(data->reducer);
    t->waited = clock_now();
    parallel_agree(&data->parallel, step, share);

    t->update = clock_now();
    optimizer_step(trainer->optimizer, net_parameters(data->net), net_gradients(data->net), step->rate);
    t->end = clock_now();
    record(data, trainer);
}

/* Weights, optimiser and losses are the same on all ranks. The averages of a batch normalisation are each rank's own. */
static void
settle(void *context, Trainer *trainer)
{
    const Data *data = context;
    const Comm *comm = data->parallel.comm;
    float *averages = net_averages(trainer->net);
    const size_t n = net_average_count(trainer->net);
    data->parallel.options.collectives->all_reduce(data->parallel.comm, averages, averages, n, ELEMENT_FLOAT,
                                                   REDUCTION_SUM);
    for (size_t i = 0; i < n; i++)
        averages[i] /= (float)comm->size;
}

/* ---- begin and end ----------------------------------------------------------------------------------------------------- */

static Plan
plan_of(const Data *data)
{
    switch (data->overlap) {
    case OVERLAP_NAIVE:
        return plan_by_tensor(&data->tensors);
    default:
        return plan_whole(&data->tensors);
    }
}

static void
use_plan(Data *data, Plan plan, bool overlapped)
{
    reducer_free(data->reducer);
    array_free(data->plan.bucket);
    data->plan = plan;
    data->reducer = reducer_create(data->parallel.comm, data->parallel.options.collectives, net_gradients(data->net),
                                   &data->tensors, &data->plan, overlapped);
    data->timeline.buckets = plan.buckets;
    data->timeline.bucket = data->plan.bucket;
    data->timeline.times = data->reducer->times;
}

static void
data_free(Parallel *parallel)
{
    Data *data = (Data *)parallel;
    net_on_gradient(data->net, NULL, NULL);
    reducer_free(data->reducer);
    array_free(data->plan.bucket);
    array_free(data->tensors.tensor);
    array_free(data->layers);
    array_free(data);
}

static bool
overlap_named(const char *name, Overlap *overlap, Error *error)
{
    char names[128] = "";
    Nearest nearest = nearest_to(name);
    for (int i = 0; i < OVERLAPS; i++) {
        *overlap = (Overlap)i;
        if (strcmp(name, overlap_names[i]) == 0)
            return true;
        snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i == 0 ? "" : ", ", overlap_names[i]);
        nearest_offer(&nearest, overlap_names[i]);
    }
    const bool near = nearest.name != NULL;
    return error_set(error, "there is no overlap '%s', expected one of %s%s%s%s", name, names,
                     near ? "; did you mean " : "", near ? nearest.name : "", near ? "?" : "");
}

static Parallel *
data_create(Comm *comm, Net *net, const ParallelOptions *options, Error *error)
{
    Overlap overlap;
    if (!overlap_named(options->overlap, &overlap, error))
        return NULL;
    Data *data = ARRAY(Data, 1);
    data->parallel = (Parallel){
        .kind = &parallel_data,
        .comm = comm,
        .options = *options,
        .team = {.context = data, .part = parallel_part, .learn = learn, .settle = settle},
        .workers = comm->size,
        .worker = comm->rank,
        .free = data_free,
    };
    data->net = net;
    data->overlap = overlap;
    data->tensors = plan_tensors(net);
    data->layers = ARRAY(DataLayer, (size_t)data->tensors.layers);
    data->timeline.layer = data->layers;
    use_plan(data, plan_of(data), false);
    net_on_gradient(net, gradients_ready, data);
    return &data->parallel;
}

const DataTimeline *
data_timeline(const Parallel *parallel)
{
    return &((const Data *)parallel)->timeline;
}

const ParallelKind parallel_data = {
    .name = "data",
    .idea = "each rank computes the gradient of its part of the batch; an all-reduce adds them",
    .fewest = 1,
    .create = data_create,
};
