/* See operation.h. SPDX-License-Identifier: MIT */
#include "mpi/parallel/data/operation.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "core/clock.h"
#include "cpu/backend.h"
#include "data/batches.h"
#include "mpi/model/fit.h"
#include <math.h>
#include <string.h>

#define RATE          0.01 /* of learning: the weights move, and stay finite */
#define WITHIN_SERIAL 1e-5
#define WITHIN_PLANS  1e-6

/* The callbacks of an operation are asked about a row and a size alone: the rest stands here. */
static DataSetting s;
static Ladder ladder;
static Rung rungs[LADDER_RUNGS];
static DataRow rows[LADDER_RUNGS];
static Error not_drawn;

/* What all rows are measured with: the samples of this rank, and the weights that are right. */
typedef struct Inputs {
    int batch;
    BenchData data;
    Dataset dataset; /* the same samples; owns nothing */
    size_t n;        /* parameters */
    float *first;    /* [n]: weights before the first step */
    float *serial;   /* [n], rank 0: after DATA_CHECKED steps of one process with the whole batches */
    float *agreed;   /* [n], rank 0: the same of the first plan .. */
    bool agreement;  /* .. once there is one */
    float *other;    /* [n]: of another rank, and zeros to send */
    bool compared;   /* with one process: not where batch normalisation sees another batch in each rank */
    DataParts parts;
    double *sums; /* [layers + 2] seconds of forward, the layers, update, of all steps of DATA_APART so far */
    double begin; /* of its backward pass */
} Inputs;

static size_t
sum_of(size_t mine)
{
    unsigned long long sum = mine;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, s.comm->mpi));
    return (size_t)sum;
}

/* ---- samples, and the weights that are right -------------------------------------------------------------------------- */

static Batch
batch_of(const BenchData *data, uint64_t step, int batch)
{
    const size_t first = (size_t)(step % DATA_BATCHES) * (size_t)batch;
    return (Batch){
        .size = batch, .x = data->x + first * bench_net_features(&s.net), .labels = data->labels + first, .step = step};
}

/* The first batches of all ranks, each rank's part behind that of the rank before it. */
static BenchData
whole_batches(int batch)
{
    const size_t part = (size_t)batch, p = (size_t)s.comm->size, features = bench_net_features(&s.net);
    const size_t samples = DATA_CHECKED * p * part;
    BenchData whole = {ARRAY(float, samples *features), ARRAY(int, samples)};
    for (size_t r = 0; r < p; r++) {
        BenchData data = bench_data_create(&s.net, DATA_CHECKED * part, (int)r);
        for (size_t i = 0; i < DATA_CHECKED; i++) {
            memcpy(whole.x + (i * p + r) * part * features, data.x + i * part * features,
                   part * features * sizeof(float));
            memcpy(whole.labels + (i * p + r) * part, data.labels + i * part, part * sizeof(int));
        }
        bench_data_free(&data);
    }
    return whole;
}

/* One process that has the whole batch of each step: the plainest training there is. */
static void
train_serially(const Inputs *in)
{
    const int whole = in->batch * s.comm->size;
    Net *net = bench_net_create(&s.net, cpu_backend(s.kernels, NULL));
    net_build(net);
    Run *run = run_create(net, &(RunOptions){.max_batch = whole});
    Optimizer *optimizer = optimizer_create(net_backend(net), OPTIMIZER_SGD, optimizer_defaults(), in->n);
    BenchData data = whole_batches(in->batch);
    for (uint64_t i = 0; i < DATA_CHECKED; i++) {
        const Batch batch = batch_of(&data, i, whole);
        run_forward(run, &batch);
        run_backward(run, 1, RUN_ONLY);
        optimizer_step(optimizer, net_parameters(net), net_gradients(net), RATE);
    }
    memcpy(in->serial, net_parameters(net), in->n * sizeof(float));
    bench_data_free(&data);
    optimizer_free(optimizer);
    run_free(run);
    net_free(net);
}

static bool rows_create(Inputs *in, Error *error);
static void rows_free(void);

static void
destroy(void *inputs)
{
    Inputs *in = inputs;
    rows_free();
    bench_data_free(&in->data);
    array_free(in->first);
    array_free(in->serial);
    array_free(in->agreed);
    array_free(in->other);
    array_free(in->parts.backward);
    array_free(in->parts.layer);
    array_free(in->sums);
    array_free(in);
}

static void *
create(const int *size, uint64_t seed, Error *error)
{
    (void)seed;
    const size_t samples = (size_t)DATA_BATCHES * (size_t)size[0];
    const Shape input = bench_net_input(&s.net);
    Net *net = bench_net_create(&s.net, cpu_backend(s.kernels, NULL));
    net_build(net);
    const size_t n = net_parameter_count(net), tensors = (size_t)net_parameter_tensors(net);
    Inputs *in = ARRAY(Inputs, 1);
    *in = (Inputs){.batch = size[0],
                   .data = bench_data_create(&s.net, samples, s.comm->rank),
                   .n = n,
                   .first = ARRAY(float, n),
                   .serial = ARRAY(float, n),
                   .agreed = ARRAY(float, n),
                   .other = ARRAY(float, n),
                   .compared = net_average_count(net) == 0,
                   .parts = {.backward = ARRAY(double, tensors), .layer = ARRAY(DataLayer, tensors)},
                   .sums = ARRAY(double, tensors + 2)};
    in->dataset = (Dataset){.name = "random numbers",
                            .count = samples,
                            .height = input.height,
                            .width = input.width,
                            .channels = input.channels,
                            .features = bench_net_features(&s.net),
                            .classes = s.net.classes,
                            .x = in->data.x,
                            .labels = in->data.labels};
    memcpy(in->first, net_parameters(net), n * sizeof(float));
    net_free(net);
    if (in->compared && s.comm->rank == 0)
        train_serially(in);
    if (rows_create(in, error))
        return in;
    destroy(in);
    return NULL;
}

static void
refresh(void *inputs, uint64_t round)
{
    (void)inputs, (void)round; /* samples are random from the beginning, and each step takes others */
}

/* ---- rows at work ----------------------------------------------------------------------------------------------------- */

/* Of DATA_APART: a layer's gradients are final. */
static void
note_layer(void *context, size_t first, size_t count)
{
    Inputs *in = context;
    in->parts.layer[in->parts.layers++] = (DataLayer){.first = first, .count = count, .ready = clock_now() - in->begin};
}

static bool
row_create(Inputs *in, DataRow *row, Error *error)
{
    const TrainOptions options = {.epochs = 1,
                                  .batch = in->batch,
                                  .rate = RATE,
                                  .optimizer = OPTIMIZER_SGD,
                                  .optimizer_options = optimizer_defaults()};
    if (row->kind == DATA_SUMS || row->kind == DATA_PEER)
        return true;
    row->steps = 0;
    row->net = bench_net_create(&s.net, cpu_backend(s.kernels, NULL));
    net_build(row->net);
    row->source =
        batches_create(&in->dataset, NULL, in->dataset.count, (BatchOptions){.size = (size_t)in->batch}, error);
    if (row->source != NULL)
        row->trainer = trainer_create(row->net, row->source, NULL, &options, error);
    if (row->trainer == NULL)
        return false;
    if (row->kind == DATA_APART)
        net_on_gradient(row->net, note_layer, in);
    if (row->kind != DATA_PLAN)
        return true;
    const DataOptions data = {.overlap = row->overlap, .bucket = s.bucket, .first_bucket = s.first_bucket};
    const ParallelOptions parallel = {
        .strategy = "data", .own = &data, .collectives = row->collectives, .straggler = -1};
    row->parallel = parallel_create(s.comm, row->trainer, &parallel, error);
    return row->parallel != NULL;
}

static bool
rows_create(Inputs *in, Error *error)
{
    bool ok = true;
    for (int i = 0; ok && i < ladder.count; i++)
        ok = row_create(in, &rows[i], error);
    return ok;
}

static void
rows_free(void)
{
    for (int i = 0; i < ladder.count; i++) {
        DataRow *row = &rows[i];
        parallel_free(row->parallel);
        trainer_free(row->trainer);
        source_free(row->source);
        net_free(row->net);
        row->parallel = NULL, row->trainer = NULL, row->source = NULL, row->net = NULL;
    }
}

static void
take_plan_step(Inputs *in, DataRow *row)
{
    TrainStep step = {
        .batch = batch_of(&in->data, row->steps++, in->batch), .whole = in->batch * s.comm->size, .rate = RATE};
    step.batch.first_sample = (uint64_t)s.comm->rank * (uint64_t)in->batch;
    row->parallel->group.learn(row->parallel->group.context, row->trainer, &step);
}

/* As train_alone; of DATA_APART, where the time goes is added up. */
static void
take_own_step(Inputs *in, DataRow *row)
{
    const Batch batch = batch_of(&in->data, row->steps++, in->batch);
    const double start = clock_now();
    double before = 0;
    run_forward(row->trainer->run, &batch);
    const double begin = clock_now();
    if (row->kind == DATA_APART) {
        in->begin = begin;
        in->parts.layers = 0;
    }
    run_backward(row->trainer->run, 1, RUN_ONLY);
    const double update = clock_now();
    optimizer_step(row->trainer->optimizer, net_parameters(row->net), net_gradients(row->net), RATE);
    if (row->kind != DATA_APART)
        return;
    in->sums[0] += begin - start;
    for (int l = 0; l < in->parts.layers; l++) {
        in->sums[l + 1] += in->parts.layer[l].ready - before;
        before = in->parts.layer[l].ready;
    }
    in->sums[in->parts.layers + 1] += clock_now() - update;
}

/* Zeros, whose sums stay zeros however often they are taken. The last all-reduce is that of parallel_agree. */
static void
communicate(Inputs *in, const DataRow *plan)
{
    const DataTimeline *timeline = data_timeline(plan->parallel);
    AllReduce *all_reduce = plan->parallel->options.collectives->all_reduce;
    double loss_and_stop[2] = {0, 0};
    for (int b = 0; b < timeline->buckets; b++) {
        float *sums = in->other + timeline->bucket[b].first;
        all_reduce(s.comm, sums, sums, timeline->bucket[b].count, ELEMENT_FLOAT, REDUCTION_SUM);
    }
    all_reduce(s.comm, loss_and_stop, loss_and_stop, 2, ELEMENT_DOUBLE, REDUCTION_SUM);
}

static void
run(const Rung *rung, void *inputs)
{
    DataRow *row = (DataRow *)rung->context;
    if (row->kind == DATA_PLAN)
        take_plan_step(inputs, row);
    else if (row->kind == DATA_SUMS)
        communicate(inputs, row->plan);
    else if (row->kind == DATA_APART || s.comm->rank == 0)
        take_own_step(inputs, row);
}

/* Before timed calls, untimed: rows that only communicate send zeros. */
static void
begin(void *inputs, void *output)
{
    Inputs *in = inputs;
    (void)output;
    memset(in->other, 0, in->n * sizeof(float));
}

/* ---- is it right? ----------------------------------------------------------------------------------------------------- */

static Verdict
verify_plan(Inputs *in, DataRow *row)
{
    const float *weights = net_parameters(row->net);
    size_t differ = 0, off[2] = {0, 0};
    memcpy(net_parameters(row->net), in->first, in->n * sizeof(float));
    row->steps = 0;
    for (int i = 0; i < DATA_CHECKED; i++)
        take_plan_step(in, row);
    memcpy(in->other, weights, in->n * sizeof(float));
    CHECK_MPI(MPI_Bcast(in->other, (int)in->n, MPI_FLOAT, 0, s.comm->mpi));
    for (size_t i = 0; i < in->n; i++)
        differ += memcmp(&weights[i], &in->other[i], sizeof(float)) != 0;
    if (s.comm->rank == 0) {
        if (in->compared)
            off[0] = verify_floats(weights, in->serial, in->n, WITHIN_SERIAL, WITHIN_SERIAL).wrong;
        if (!in->agreement)
            memcpy(in->agreed, weights, in->n * sizeof(float));
        off[1] = verify_floats(weights, in->agreed, in->n, WITHIN_PLANS, WITHIN_PLANS).wrong;
    }
    in->agreement = true;
    const char *const what[] = {"weights differ from rank to rank",
                                "weights are not those of one process with the whole batch",
                                "weights are not those of the first plan"};
    const size_t wrong[] = {sum_of(differ), sum_of(off[0]), sum_of(off[1])};
    Verdict verdict = {.count = in->n};
    for (int i = 2; i >= 0; i--)
        if (wrong[i] > 0)
            verdict = (Verdict){.count = in->n, .wrong = wrong[i], .max_error = INFINITY, .what = what[i]};
    return verdict;
}

static Verdict
verify(const Rung *rung, void *inputs)
{
    Inputs *in = inputs;
    DataRow *row = (DataRow *)rung->context;
    Verdict verdict = {.count = in->n, .what = "are no finite number, or no zero where zeros were added"};
    if (row->kind == DATA_PLAN)
        return verify_plan(in, row);
    const float *values = row->kind == DATA_SUMS ? in->other : net_parameters(row->net);
    for (size_t i = 0; i < in->n; i++)
        verdict.wrong += !isfinite(values[i]) || (row->kind == DATA_SUMS && values[i] != 0);
    verdict.wrong = sum_of(verdict.wrong);
    return verdict;
}

/* ---- when all was measured -------------------------------------------------------------------------------------------- */

static const LadderRow *
find(const LadderTable *table, DataRowKind kind, const DataRow *plan)
{
    for (int i = 0; i < table->count; i++) {
        const DataRow *row = table->rows[i].rung->context;
        if (row->kind == kind && row->plan == plan)
            return &table->rows[i];
    }
    return NULL;
}

/* NaN: not measured. */
static double
median_of(const LadderRow *row)
{
    return row != NULL && row->state == ROW_MEASURED ? row->time.median : NAN;
}

static double
communication(const LadderTable *table, const LadderRow *row)
{
    const DataRow *plan = row->rung->context;
    return plan->kind == DATA_PLAN ? median_of(find(table, DATA_SUMS, plan)) : NAN;
}

/* Means over the ranks, scaled to the time of the whole step, which is that of the slowest rank. */
static void
collect_parts(Inputs *in, const LadderTable *table)
{
    DataParts *parts = &in->parts;
    double sum = 0;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, in->sums, parts->layers + 2, MPI_DOUBLE, MPI_SUM, s.comm->mpi));
    for (int i = 0; i < parts->layers + 2; i++)
        sum += in->sums[i];
    const double scale = median_of(find(table, DATA_APART, NULL)) / sum;
    parts->forward = scale * in->sums[0];
    parts->update = scale * in->sums[parts->layers + 1];
    for (int l = 0; l < parts->layers; l++)
        parts->backward[l] = scale * in->sums[l + 1];
}

enum { SHOWN = 12 };
static struct {
    double forward, update, backward[SHOWN];
    int layers;
} shown; /* of the last table, for its note */

static void
keep_parts(const DataParts *parts)
{
    shown.forward = parts->forward;
    shown.update = parts->update;
    shown.layers = parts->layers;
    for (int l = 0; l < parts->layers && l < SHOWN; l++)
        shown.backward[l] = parts->backward[l];
}

/* Where the step of a rank by itself goes: what the predictions are made of. */
static void
note(const LadderTable *table, FILE *out)
{
    (void)table;
    fprintf(out, "  apart: forward %.3f ms, backward", 1e3 * shown.forward);
    for (int l = 0; l < shown.layers && l < SHOWN; l++)
        fprintf(out, "%s %.3f", l > 0 ? " +" : "", 1e3 * shown.backward[l]);
    fprintf(out, "%s ms (the last layer first), update %.3f ms\n", shown.layers > SHOWN ? " + .." : "",
            1e3 * shown.update);
    if (s.comm->model != NULL && cost_parameters_of(s.comm)->noisy)
        fprintf(out,
                "  nothing is predicted, the machine is too noisy: samples of one message differ by more than %.0f %%; "
                "end other programs\n",
                100 * FIT_SPREAD);
}

static void
conclude(void *inputs, LadderTable *table)
{
    Inputs *in = inputs;
    const DataRow *last = NULL;
    collect_parts(in, table);
    keep_parts(&in->parts);
    for (int i = 0; i < table->count; i++) {
        DataRow *row = (DataRow *)table->rows[i].rung->context;
        if (row->kind != DATA_PLAN || table->rows[i].state != ROW_MEASURED)
            continue;
        data_predict(&s, &in->parts, row, communication(table, &table->rows[i]));
        table->rows[i].predicted = row->predicted;
        row->buckets = data_timeline(row->parallel)->buckets;
        last = row;
    }
    if (s.timeline_svg != NULL && s.comm->rank == 0 && last != NULL)
        data_timeline_svg(&s, &in->parts, last, in->batch, &not_drawn);
}

bool
data_operation_drawn(Error *error)
{
    return not_drawn.text[0] == '\0' || error_set(error, "%s", not_drawn.text);
}

/* ---- beside the time -------------------------------------------------------------------------------------------------- */

double
data_hidden(const LadderTable *table, const LadderRow *row)
{
    const DataRow *plan = row->rung->context;
    const double sums = communication(table, row), apart = median_of(find(table, DATA_APART, NULL));
    if (plan->kind != DATA_PLAN || !(plan->hideable > 0.01 * sums && plan->hideable > row->time.high - row->time.low))
        return NAN;
    return (apart + sums - row->time.median) / plan->hideable;
}

static double
samples(const LadderTable *table, const LadderRow *row)
{
    const DataRow *data = row->rung->context;
    const int ranks = data->kind == DATA_ALONE ? 1 : s.comm->size;
    return data->kind == DATA_SUMS ? NAN : table->size[0] * ranks / row->time.median;
}

static double
buckets(const LadderTable *table, const LadderRow *row)
{
    const DataRow *data = row->rung->context;
    (void)table;
    return data->kind == DATA_PLAN ? data->buckets : NAN;
}

static double
hideable(const LadderTable *table, const LadderRow *row)
{
    const DataRow *data = row->rung->context;
    (void)table;
    return data->kind == DATA_PLAN ? data->hideable : NAN;
}

static const Column columns[] = {
    {"throughput", "/s", "samples of all ranks in a second", samples},
    {"buckets", "", "messages of gradients in a step", buckets},
    {"sums", "s", "its all-reduces one after the other, nothing else going on: the row NAME:sums", communication},
    {"hideable", "s", "of these, what can be done while gradients are computed, by the model", hideable},
    {"hidden", "%", "of that, the share that is, if it is more than the spread", data_hidden},
    {0},
};

static double
flops(const int *size)
{
    return bench_net_flops(&s.net, size[0]) * s.comm->size;
}

static double
no_bytes(const int *size)
{
    (void)size;
    return 0;
}

/* ---- the ladder ------------------------------------------------------------------------------------------------------- */

static DataRow *
add(DataRow row, const char *name)
{
    DataRow *added = &rows[ladder.count];
    *added = row;
    added->predicted = added->hideable = NAN;
    snprintf(added->name, sizeof added->name, "%.60s", name);
    rungs[ladder.count++] = (Rung){
        .name = added->name, .file = "mpi/parallel/data/data.c", .reference = row.kind != DATA_PLAN, .context = added};
    return added;
}

void
data_operation_begin(const DataSetting *setting, const Fact *facts)
{
    s = *setting;
    not_drawn.text[0] = '\0';
    ladder = (Ladder){.operation = {.name = "parallel",
                                    .formula = "a step of data-parallel SGD with softmax loss",
                                    .dimensions = "batch of a rank",
                                    .dimension_count = 1,
                                    .tolerance = "weights are the same on all ranks, within 1e-5 those of one process, "
                                                 "and within 1e-6 those of the first rung",
                                    .lecture = "lectures/07-data-parallel.md",
                                    .create = create,
                                    .refresh = refresh,
                                    .begin = begin,
                                    .run = run,
                                    .verify = verify,
                                    .conclude = conclude,
                                    .destroy = destroy,
                                    .flops = flops,
                                    .bytes = no_bytes,
                                    .columns = columns,
                                    .note = note,
                                    .compared = COMPARED_LOWEST | COMPARED_PEER,
                                    .facts = facts},
                      .rungs = rungs};
    add((DataRow){.kind = DATA_ALONE}, "alone");
    add((DataRow){.kind = DATA_APART}, "apart");
}

bool
data_operation_add(const char *overlap, const Collectives *collectives, Error *error)
{
    char name[64];
    if (ladder.count + 3 > LADDER_RUNGS)
        return error_set(error, "--overlaps times --collectives: at most %d rungs", (LADDER_RUNGS - 3) / 2);
    snprintf(name, sizeof name, "%s:%s", overlap, collectives->name);
    DataRow *plan = add((DataRow){.kind = DATA_PLAN, .overlap = overlap, .collectives = collectives}, name);
    snprintf(name, sizeof name, "%.50s:sums", plan->name);
    add((DataRow){.kind = DATA_SUMS, .plan = plan}, name);
    return true;
}

void
data_operation_add_peer(Rung rung)
{
    DataRow *row = add((DataRow){.kind = DATA_PEER}, rung.name);
    rung.context = row;
    rungs[ladder.count - 1] = rung;
}

const Ladder *
data_operation(void)
{
    return &ladder;
}
