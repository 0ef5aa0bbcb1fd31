/* The strategy: a step of all stages, and of all replicas (pipeline.h). SPDX-License-Identifier: MIT */
#include "mpi/parallel/pipeline/pipeline.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "core/clock.h"
#include "core/units.h"
#include "mpi/parallel/data/overlap.h"
#include "mpi/parallel/data/reducer.h"
#include <math.h>

typedef struct Pipeline {
    Parallel parallel; /* first */
    Net *net;
    PipelinePlan plan;
    Grid *grid;
    Stage *stage;
    /* Gradients of all replicas; NULL where there is one, or a stage without parameters. */
    BucketTensors tensors;
    Buckets buckets;
    Reducer *reducer;
} Pipeline;

/* ---- a step ---------------------------------------------------------------------------------------------------------------- */

/* The network's hook. */
static void
gradients_ready(void *context, size_t first, size_t count)
{
    reducer_ready(((Pipeline *)context)->reducer, first, count);
}

static bool
all_finite(Net *net)
{
    return net_backend(net)->all_finite(net_parameter_count(net), net_parameters(net));
}

/* Weights that stop being numbers are known on their stage alone: its share of the loss tells all. */
static void
learn(void *context, Trainer *trainer, TrainStep *step)
{
    Pipeline *pipeline = context;
    Net *net = pipeline->net;
    parallel_straggle(&pipeline->parallel);
    if (pipeline->reducer != NULL)
        reducer_begin(pipeline->reducer);
    const double share = stage_step(pipeline->stage, trainer, step);
    double start = clock_now();
    if (pipeline->reducer != NULL) {
        reducer_finish(pipeline->reducer);
        train_record(trainer, "wait", start);
    }
    start = clock_now();
    optimizer_step(trainer->optimizer, net_parameters(net), net_gradients(net), step->rate);
    train_record(trainer, "update", start);
    parallel_agree(&pipeline->parallel, step, all_finite(net) ? share : NAN);
}

static const float *
evaluate(void *context, Net *net, const Batch *batch, double *loss)
{
    (void)net;
    return stage_evaluate(((Pipeline *)context)->stage, batch, loss);
}

/* Each replica has normalised its own micro-batches. */
static void
synchronise(void *context, Trainer *trainer)
{
    parallel_average(context, trainer->net);
}

/* ---- what is said of it ---------------------------------------------------------------------------------------------------- */

/* What rank 0 prints of a stage, in doubles. */
enum { FIRST, LAST, PEAK, MEMORY, MESSAGES, BYTES, BUSY, STEP, COLUMNS };

static void
count_stage(const Stage *stage, double *row)
{
    const int chunks = stage->plan->schedule->chunks;
    row[FIRST] = stage->chunk[0].layers.first;
    row[LAST] = stage->chunk[chunks - 1].layers.last - 1;
    row[PEAK] = stage->counts.peak;
    row[MEMORY] = (double)stage_memory(stage);
    row[BUSY] = stage->counts.busy;
    row[STEP] = stage->counts.seconds;
    for (int c = 0; c < chunks; c++) {
        row[MESSAGES] += (double)(stage->chunk[c].before.messages + stage->chunk[c].behind.messages);
        row[BYTES] += (double)(stage->chunk[c].before.bytes + stage->chunk[c].behind.bytes);
    }
}

static void
print_stages(const Pipeline *pipeline, const double *rows, FILE *out)
{
    const PipelineSchedule *schedule = pipeline->plan.schedule;
    fprintf(out, "pipeline  %d stage%s, %d micro-batch%s, %d replica%s\n", schedule->stages,
            schedule->stages == 1 ? "" : "s", schedule->micros, schedule->micros == 1 ? "" : "es",
            pipeline->plan.grid.data, pipeline->plan.grid.data == 1 ? "" : "s");
    fprintf(out, "%10s  %-10s %10s %12s %10s %12s %6s\n", "stage", "layers", "in flight", "activations", "messages",
            "sent", "busy");
    for (int s = 0; s < schedule->stages; s++) {
        const double *row = rows + (ptrdiff_t)s * COLUMNS;
        char layers[32], memory[UNITS_SIZE], sent[UNITS_SIZE];
        snprintf(layers, sizeof(layers), "%.0f %s %.0f", row[FIRST], schedule->chunks > 1 ? ".." : "to", row[LAST]);
        fprintf(out, "%10d  %-10s %10g %12s %10.0f %12s %5.1f%%\n", s, layers, row[PEAK] / schedule->chunks,
                units_bytes(memory, row[MEMORY]), row[MESSAGES], units_bytes(sent, row[BYTES]),
                100 * row[BUSY] / row[STEP]);
    }
}

/* The stages of the first replica. */
static void
report(Parallel *parallel, FILE *out)
{
    const Pipeline *pipeline = (Pipeline *)parallel;
    const Comm *comm = pipeline->grid->axis[GRID_PIPELINE];
    double mine[COLUMNS] = {0}, *rows = ARRAY(double, COLUMNS *(size_t)comm->size);
    count_stage(pipeline->stage, mine);
    CHECK_MPI(MPI_Gather(mine, COLUMNS, MPI_DOUBLE, rows, COLUMNS, MPI_DOUBLE, 0, comm->mpi));
    if (parallel->comm->rank == 0)
        print_stages(pipeline, rows, out);
    array_free(rows);
}

/* ---- begin and end --------------------------------------------------------------------------------------------------------- */

static void
pipeline_strategy_free(Parallel *parallel)
{
    Pipeline *pipeline = (Pipeline *)parallel;
    net_on_gradient(pipeline->net, NULL, NULL);
    reducer_free(pipeline->reducer);
    array_free(pipeline->buckets.bucket);
    array_free(pipeline->tensors.tensor);
    stage_free(pipeline->stage);
    pipeline_plan_free(&pipeline->plan);
    grid_free(pipeline->grid);
    array_free(pipeline);
}

/* In buckets of PyTorch's sizes, which are the defaults of data-parallel training. */
static void
reduce_over(Pipeline *pipeline, Comm *replicas)
{
    if (replicas->size == 1 || net_parameter_count(pipeline->net) == 0)
        return;
    pipeline->tensors = buckets_tensors(pipeline->net);
    pipeline->buckets = overlap_plan(OVERLAP_DDP, &pipeline->tensors, &(DataOptions){0});
    pipeline->reducer = reducer_create(pipeline->parallel.queue, replicas, pipeline->parallel.options.collectives,
                                       net_gradients(pipeline->net), &pipeline->tensors, &pipeline->buckets, true);
    net_on_gradient(pipeline->net, gradients_ready, pipeline);
}

Parallel *
pipeline_strategy_create(const Parallel *base, Net *net, Error *error)
{
    Pipeline *pipeline = ARRAY(Pipeline, 1);
    const bool good = pipeline_plan(&pipeline->plan, base->options.own, net, base->training, base->comm->size, error);
    if (parallel_first_failed(base->comm, good, error) >= 0) {
        if (good)
            pipeline_plan_free(&pipeline->plan);
        array_free(pipeline);
        return NULL;
    }
    pipeline->grid = grid_create(base->comm, pipeline->plan.grid, NULL, error);
    pipeline->net = net;
    pipeline->parallel = *base;
    pipeline->parallel.replicas = pipeline->grid->axis[GRID_DATA];
    pipeline->parallel.workers = pipeline->grid->shape.data;
    pipeline->parallel.worker = pipeline->grid->place.data;
    pipeline->parallel.group = (TrainGroup){.context = pipeline,
                                            .in_step = true,
                                            .part = parallel_part,
                                            .learn = learn,
                                            .evaluate = evaluate,
                                            .synchronise = synchronise};
    pipeline->parallel.free = pipeline_strategy_free;
    pipeline->parallel.report = report;
    pipeline->stage =
        stage_create(&pipeline->plan, net, base->training, base->queue, pipeline->grid->axis[GRID_PIPELINE]);
    reduce_over(pipeline, pipeline->grid->axis[GRID_DATA]);
    return &pipeline->parallel;
}

const Stage *
pipeline_stage(const Parallel *parallel)
{
    return ((const Pipeline *)parallel)->stage;
}
