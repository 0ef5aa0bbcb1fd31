/* SPDX-License-Identifier: MIT */
#include "mpi/parallel/pipeline/plan.h"
#include "core/array.h"
#include <string.h>

/* ---- the schedule ---------------------------------------------------------------------------------------------------------- */

static int
micro_batches(const TrainOptions *train)
{
    return train->micro_batches > 1 ? train->micro_batches : 1;
}

/* A file has its numbers in itself: they must be those of the run. */
static bool
check_numbers(const PipelineSchedule *schedule, const PipelineOptions *options, int stages, int micros, Error *error)
{
    const char *name = options->schedule;
    if (schedule->stages != stages)
        return error_set(error,
                         "--pipeline %s has %d stages, but there are %d: give --stages, or another number of ranks",
                         name, schedule->stages, stages);
    if (schedule->micros != micros)
        return error_set(error, "--pipeline %s has %d micro-batches, but a step has %d: give --micro-batches %d", name,
                         schedule->micros, micros, schedule->micros);
    return options->chunks == 0 || options->chunks == schedule->chunks ||
           error_set(error, "--pipeline %s has %d chunks on each stage, but --chunks is %d", name, schedule->chunks,
                     options->chunks);
}

/* A name, or else a file. */
static PipelineSchedule *
make_schedule(const PipelineOptions *options, int stages, int micros, Error *error)
{
    const char *name = options->schedule;
    const bool none = strcmp(name, "none") == 0;
    const PipelineIdea *idea = pipeline_idea(none ? "gpipe" : name);
    if (none && micros > 1)
        return error_set(error, "--pipeline none has one micro-batch: leave --micro-batches %d out", micros), NULL;
    if (idea != NULL)
        return pipeline_generate(idea, stages, micros, options->chunks, error);
    PipelineSchedule *schedule = pipeline_read(name, error);
    if (schedule != NULL && check_numbers(schedule, options, stages, micros, error) && pipeline_check(schedule, error))
        return schedule;
    pipeline_free(schedule);
    return NULL;
}

/* ---- the layers ------------------------------------------------------------------------------------------------------------ */

/* Equal counts of layers; the input comes with the first one. */
static void
default_cut(int layers, int depths, int *cut)
{
    for (int d = 1; d < depths; d++)
        cut[d] = 1 + (int)((long long)(layers - 1) * d / depths);
}

static bool
given_cut(const IntList *list, int layers, int depths, int *cut, Error *error)
{
    if (list->count != depths - 1)
        return error_set(error,
                         "--cut has %d numbers, but %d parts of the network need %d: where each but the first begins",
                         list->count, depths, depths - 1);
    for (int d = 1; d < depths; d++) {
        cut[d] = list->values[d - 1];
        if (cut[d] <= cut[d - 1] || cut[d] >= layers)
            return error_set(error,
                             "--cut: a part of the network begins with layer %d, and the one before with %d: expected "
                             "ascending numbers of 1 to %d",
                             cut[d], cut[d - 1], layers - 1);
    }
    return true;
}

static bool
make_cuts(PipelinePlan *plan, const IntList *list, int layers, Error *error)
{
    if (layers - 1 < plan->depths)
        return error_set(error, "a network of %d layers cannot be cut into %d parts (%d stages with %d chunk%s each)",
                         layers - 1, plan->depths, plan->schedule->stages, plan->schedule->chunks,
                         plan->schedule->chunks == 1 ? "" : "s");
    plan->cut = ARRAY(int, (size_t)plan->depths + 1);
    plan->cut[0] = 0;
    plan->cut[plan->depths] = layers;
    if (list->count > 0)
        return given_cut(list, layers, plan->depths, plan->cut, error);
    default_cut(layers, plan->depths, plan->cut);
    return true;
}

/* Each message that a stage may expect from another has a tag of its own: a direction, a chunk, a value and a micro-batch. */
static bool
check_tags(PipelinePlan *plan, const Net *net, Error *error)
{
    enum { TAGS = 32767 }; /* of queue_send */
    const PipelineSchedule *schedule = plan->schedule;
    int values[NET_BOUNDARY];
    for (int d = 1; d < plan->depths; d++) {
        const int count = net_boundary(net, plan->cut[d], values);
        plan->values = count > plan->values ? count : plan->values;
    }
    return 2.0 * schedule->chunks * plan->values * schedule->micros <= TAGS ||
           error_set(error,
                     "%d micro-batches with %d chunks and %d values at a boundary are more than %d messages: take "
                     "fewer micro-batches",
                     schedule->micros, schedule->chunks, plan->values, TAGS / 2);
}

/* ---- all of it ------------------------------------------------------------------------------------------------------------- */

bool
pipeline_plan(PipelinePlan *plan, const PipelineOptions *options, const Net *net, const TrainOptions *train, int ranks,
              Error *error)
{
    *plan = (PipelinePlan){.grid = {.pipeline = options->stages > 0 ? options->stages : ranks}};
    if (ranks % plan->grid.pipeline != 0)
        return error_set(error, "--stages %d: %d ranks are no multiple of it: each replica of the network needs %d",
                         options->stages, ranks, options->stages);
    if (!grid_fit(&plan->grid, ranks, error))
        return false;
    plan->schedule = make_schedule(options, plan->grid.pipeline, micro_batches(train), error);
    if (plan->schedule == NULL)
        return false;
    plan->depths = plan->schedule->stages * plan->schedule->chunks;
    bool good = plan->schedule->updates == 0 ||
                error_set(error, "--pipeline %s is asynchronous: it can be drawn and simulated, but not run: take 1f1b",
                          options->schedule);
    good = good && make_cuts(plan, &options->cut, net_layer_count(net), error) && check_tags(plan, net, error);
    if (!good)
        pipeline_plan_free(plan);
    return good;
}

void
pipeline_plan_free(PipelinePlan *plan)
{
    pipeline_free(plan->schedule);
    array_free(plan->cut);
    *plan = (PipelinePlan){0};
}

LayerRange
pipeline_layers(const PipelinePlan *plan, int stage, int chunk)
{
    const int depth = pipeline_depth(plan->schedule, stage, chunk);
    return (LayerRange){plan->cut[depth], plan->cut[depth + 1]};
}

int
pipeline_hold(const void *options, const Net *net, const TrainOptions *train, int rank, int ranks, LayerRange *ranges,
              Error *error)
{
    PipelinePlan plan;
    if (!pipeline_plan(&plan, options, net, train, ranks, error))
        return 0;
    const int chunks = plan.schedule->chunks, stage = grid_place(&plan.grid, NULL, rank).pipeline;
    for (int c = 0; c < chunks; c++)
        ranges[c] = pipeline_layers(&plan, stage, c);
    pipeline_plan_free(&plan);
    return chunks;
}
