/* Pipelines: ranks that hold some layers each learn, bit by bit, what one process learns that takes the same micro-batches; what
 * they send and hold is what the formulas say.
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "mpi/parallel/pipeline/pipeline.h"
#include "nn/checkpoint.h"
#include "tests/mpi/data_case.h"
#include "tests/nn/training_fixture.h"

enum { LAYERS = 9 };

/* Eight layers behind the input. */
static int
deep_mlp(Net *net, int x, int classes)
{
    for (int l = 0; l < 3; l++)
        x = net_tanh(net, net_dense(net, x, 9 + 2 * l));
    return net_dense(net, x, classes);
}

/* Two cuts inside the residual block have two live values. */
static int
residual(Net *net, int x, int classes)
{
    x = net_relu(net, net_batchnorm(net, net_conv2d(net, x, (Conv2d){.channels = 4, .kernel = 3, .padding = 1})));
    const Conv2d again = {.channels = 4, .kernel = 3, .padding = 1, .no_bias = true};
    const int y = net_relu(net, net_batchnorm(net, net_conv2d(net, x, again)));
    x = net_relu(net, net_add(net, net_conv2d(net, y, again), x));
    return net_dense(net, net_dropout(net, net_maxpool(net, x, (Pool){.kernel = 2}), 0.25F), classes);
}

typedef struct Case {
    ModelBuild *build;
    const char *pipeline;
    int stages, chunks, micro_batches, samples, batch, steps, recompute;
    IntList cut;
} Case;

/* A training: of one process where comm is NULL. Free with case_end. */
static CaseRun *
begin(const Case *c, Comm *comm)
{
    CaseRun *t = ARRAY(CaseRun, 1);
    RunSegment segments[64];
    const PipelineOptions own = {c->pipeline, c->stages, c->chunks, c->cut};
    host_set_threads(1);
    case_data(&(DataCase){.samples = c->samples}, &t->dataset, &t->split);
    t->net = net_create(cpu_backend("best", &error), CASE_SEED);
    net_softmax_loss(t->net, c->build(t->net, net_input(t->net, CASE_SIDE, CASE_SIDE, 1), CASE_CLASSES));
    TrainOptions train = {.epochs = 9,
                          .batch = c->batch,
                          .micro_batches = c->micro_batches,
                          .rate = 0.05,
                          .optimizer = OPTIMIZER_MOMENTUM,
                          .optimizer_options = optimizer_defaults(),
                          .seed = 3};
    train.run = (RunOptions){.recomputed = segments, .segments = run_segments(t->net, c->recompute, segments)};
    if (comm != NULL) {
        LayerRange ranges[STRATEGY_RANGES];
        const int held = pipeline_hold(&own, t->net, &train, comm->rank, comm->size, ranges, &error);
        ck_assert_ok(held > 0);
        net_build_ranges(t->net, ranges, held);
    } else {
        net_build(t->net);
    }
    ck_assert_ok(train_data_create(&t->data, &t->dataset, &t->split, &train, &error));
    t->trainer = trainer_create(t->net, t->data.training, NULL, &train, &error);
    ck_assert_ok(t->trainer);
    if (comm != NULL) {
        const ParallelOptions options = {
            .strategy = "pipeline", .own = &own, .collectives = collectives_named("ring", NULL), .straggler = -1};
        t->parallel = parallel_create(comm, t->trainer, &options, &error);
        ck_assert_ok(t->parallel);
    }
    return t;
}

/* Returns the loss of the last step. */
static double
step(const Case *c, CaseRun *t)
{
    double loss = NAN;
    for (int s = 0; s < c->steps; s++)
        ck_assert_ok(trainer_step(t->trainer, &loss, &error));
    return loss;
}

/* The largest difference between parts of the same name; infinite where a name is missing. */
static double
difference(Net *mine, Net *whole)
{
    double largest = 0;
    for (int i = 0; i < net_parameter_tensors(mine) + net_average_tensors(mine); i++) {
        const int a = i - net_parameter_tensors(mine);
        const Parameter *p = a < 0 ? net_parameter(mine, i) : net_average(mine, a), *q = NULL;
        for (int j = 0; j < (a < 0 ? net_parameter_tensors(whole) : net_average_tensors(whole)); j++) {
            const Parameter *other = a < 0 ? net_parameter(whole, j) : net_average(whole, j);
            q = strcmp(other->name, p->name) == 0 ? other : q;
        }
        if (q == NULL)
            return INFINITY;
        const float *x = (a < 0 ? net_parameters(mine) : net_averages(mine)) + p->first,
                    *y = (a < 0 ? net_parameters(whole) : net_averages(whole)) + q->first;
        for (size_t k = 0; k < p->count; k++)
            largest = fabs((double)x[k] - y[k]) <= largest ? largest : fabs((double)x[k] - y[k]);
    }
    return largest;
}

/* Against one process: equal bits if tolerance is 0. Evaluation has to be the same, too. */
static void
check(const Case *c, Comm *comm, double tolerance)
{
    CaseRun *got = begin(c, comm), *want = begin(c, NULL);
    Evaluation mine, one;
    const double loss = step(c, got), serial = step(c, want);
    const double far = difference(got->net, want->net);
    ck_assert_msg(all_agree(far <= tolerance), "%s, p = %d, m = %d: weights or averages differ by %g", c->pipeline,
                  comm->size, c->micro_batches, far);
    ck_assert_msg(all_agree(fabs(loss - serial) <= tolerance), "%s, p = %d, m = %d: loss %.17g, not %.17g", c->pipeline,
                  comm->size, c->micro_batches, loss, serial);
    ck_assert_ok(train_evaluate(got->net, got->data.training, got->trainer->group, &mine, &error));
    ck_assert_ok(train_evaluate(want->net, want->data.training, NULL, &one, &error));
    ck_assert_all(mine.count == one.count && fabs(mine.loss - one.loss) <= tolerance);
    ck_assert_all(tolerance > 0 || mine.correct == one.correct);
    case_end(got);
    case_end(want);
}

/* ---- equal to one process -------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int chunks;
} schedules[] = {{"gpipe", 1}, {"1f1b", 1}, {"interleaved", 2}, {"zb-h1", 1}, {"zb-h2", 1}};

static void
check_all(Comm *comm, ModelBuild *build, int layers, int most_micros)
{
    for (int i = 0; i < COUNT(schedules); i++)
        for (int m = 1; m <= most_micros; m *= 2) {
            const Case c = {.build = build,
                            .pipeline = schedules[i].name,
                            .micro_batches = m,
                            .samples = 40,
                            .batch = 15, /* the last batch of an epoch has 10 samples; micro-batches are uneven */
                            .steps = 5};
            const bool multiple = schedules[i].chunks == 1 || m % comm->size == 0;
            if (multiple && schedules[i].chunks * comm->size <= layers)
                check(&c, comm, 0);
        }
}

TEST_WITH_COMM(every_schedule_is_one_process)
{
    check_all(comm, deep_mlp, LAYERS - 1, 8);
    check_all(comm, residual, 12, 4);
}

TEST_WITH_COMM(every_schedule_of_large_networks_is_one_process)
{
    if (!test_thorough() || comm->size > 4)
        return;
    check_all(comm, lenet_build, 12, 8);
    check_all(comm, resnet20_build, 60, 8);
}

TEST_WITH_COMM(none_is_one_micro_batch)
{
    check(&(Case){deep_mlp, "none", .samples = 30, .batch = 15, .steps = 5}, comm, 0);
}

/* Batches of 3 samples in 5 micro-batches: two have none. */
TEST_WITH_COMM(micro_batches_without_samples)
{
    check(&(Case){deep_mlp, "1f1b", .micro_batches = 3, .samples = 11, .batch = 3, .steps = 5}, comm, 0);
    check(&(Case){residual, "zb-h1", .micro_batches = 3, .samples = 11, .batch = 3, .steps = 5}, comm, 0);
}

TEST_WITH_COMM(recomputation_changes_no_bit)
{
    check(&(Case){residual, "gpipe", .micro_batches = 4, .samples = 30, .batch = 12, .steps = 3, .recompute = 3}, comm,
          0);
}

/* Wherever the network is cut: also before its first layer, and inside the residual block. */
TEST_WITH_COMM(every_cut_of_two_stages)
{
    if (comm->size != 2)
        return;
    for (int cut = 1; cut < 14; cut++)
        check(&(Case){residual, "1f1b", .micro_batches = 2, .samples = 24, .batch = 12, .steps = 2, .cut = {1, {cut}}},
              comm, 0);
}

/* Odd chunks from the last stage to the first: two of them stand beside each other on one stage. */
TEST_WITH_COMM(a_schedule_from_a_file)
{
    char path[DATA_PATH_MAX];
    snprintf(path, sizeof(path), "%s", testing_path("wave"));
    if (comm->size != 2)
        return;
    FILE *file = comm->rank == 0 ? fopen(path, "w") : NULL;
    if (file != NULL) {
        fputs("chunks wave\nF1.0 F0.0 F1.1 B1.1 B1.0 F0.1 B0.1 B0.0\nF1.0 F1.1 F0.0 B1.1 B1.0 F0.1 B0.1 B0.0\n", file);
        fclose(file);
    }
    CHECK_MPI(PMPI_Barrier(MPI_COMM_WORLD));
    check(&(Case){deep_mlp, path, .micro_batches = 2, .samples = 30, .batch = 15, .steps = 5}, comm, 1e-6);
}

TEST_WITH_COMM(replicas_of_the_pipeline)
{
    if (comm->size != 4)
        return;
    for (int i = 0; i < COUNT(schedules); i++)
        check(&(Case){deep_mlp, schedules[i].name, .stages = 2, .micro_batches = 2, .samples = 40, .batch = 15,
                      .steps = 5},
              comm, 1e-5);
}

/* The check can fail: other micro-batches of a network that normalises are another computation. */
TEST_WITH_COMM(other_micro_batches_are_not_the_same)
{
    const Case c = {residual, "1f1b", .micro_batches = 2, .samples = 30, .batch = 12, .steps = 2};
    Case other = c;
    other.micro_batches = 3;
    CaseRun *got = begin(&c, comm), *want = begin(&other, NULL);
    step(&c, got);
    step(&other, want);
    ck_assert(!all_agree(difference(got->net, want->net) <= 1e-5));
    case_end(got);
    case_end(want);
}

/* ---- counted --------------------------------------------------------------------------------------------------------------- */

/* Bytes of a micro-batch of `batch` samples over the cut before a layer: forward, and back where it learns. */
static void
count_boundary(const Net *net, int cut, uint64_t samples, uint64_t *forward, uint64_t *back)
{
    int values[NET_BOUNDARY];
    const int count = net_boundary(net, cut, values);
    *forward = *back = 0;
    for (int i = 0; i < count; i++) {
        const uint64_t bytes = sizeof(float) * samples * shape_elements(net_layer_info(net, values[i]).shape);
        *forward += bytes;
        *back += net_value_learns(net, values[i]) ? bytes : 0;
    }
}

static void
check_counts(Comm *comm, const char *name, int m, int in_flight)
{
    const int steps = 3, p = comm->size, r = comm->rank, layers = LAYERS;
    const Case c = {deep_mlp, name, .micro_batches = m, .samples = 48, .batch = 16, .steps = steps};
    CaseRun *t = begin(&c, comm);
    step(&c, t);
    const Stage *stage = pipeline_stage(t->parallel);
    const StageChunk *chunk = &stage->chunk[0];
    uint64_t forward = 0, back = 0;
    ck_assert_msg(all_agree(stage->counts.peak == in_flight), "%s, p = %d, m = %d: stage %d has %d in flight, not %d",
                  name, p, m, r, stage->counts.peak, in_flight);
    RunOptions one = {.max_batch = 16 / m, .accumulates = m > 1, .splits = stage->plan->schedule->split};
    const int first = r == 0 ? 0 : 1 + (layers - 1) * r / p,
              last = r == p - 1 ? layers : 1 + (layers - 1) * (r + 1) / p;
    ck_assert_all(stage_memory(stage) == (size_t)in_flight * run_memory_planned(t->net, first, last, &one));
    if (r < p - 1)
        count_boundary(t->net, last, 16, &forward, &back);
    ck_assert_all(chunk->behind.bytes == (uint64_t)steps * forward &&
                  chunk->behind.messages == (uint64_t)(r < p - 1 ? steps * m : 0));
    if (r > 0)
        count_boundary(t->net, first, 16, &forward, &back);
    ck_assert_all(chunk->before.bytes == (r > 0 ? (uint64_t)steps * back : 0));
    case_end(t);
}

/* At stage i GPipe m, 1F1B min(p - i, m); where W is behind B a micro-batch stays until W, on all stages: ZB-H1 min(p, m), ZB-H2
 * min(2 p - 1, m). */
TEST_WITH_COMM(counts_are_the_formulas)
{
    const int behind = comm->size - comm->rank, twice = 2 * comm->size - 1;
    for (int m = 1; m <= 8; m *= 2) {
        check_counts(comm, "gpipe", m, m);
        check_counts(comm, "1f1b", m, behind < m ? behind : m);
        check_counts(comm, "zb-h1", m, comm->size < m ? comm->size : m);
        check_counts(comm, "zb-h2", m, twice < m ? twice : m);
    }
}

/* ---- checkpoints ----------------------------------------------------------------------------------------------------------- */

/* The file of all stages is that of one process, and one process, or other stages, go on from it. */
TEST_WITH_COMM(checkpoints_hold_the_whole_network)
{
    const Case c = {residual, "1f1b", .micro_batches = 3, .samples = 30, .batch = 12, .steps = 4};
    char alone[DATA_PATH_MAX], together[DATA_PATH_MAX];
    Safetensors file;
    snprintf(alone, sizeof(alone), "%s", testing_path("alone"));
    snprintf(together, sizeof(together), "%s", testing_path("together"));
    Case elsewhere = c; /* cut before layers 2, 3, .. */
    for (int s = 1; s < comm->size; s++)
        elsewhere.cut.values[elsewhere.cut.count++] = s + 1;
    CaseRun *got = begin(&c, comm), *want = begin(&c, NULL), *other = begin(&elsewhere, comm), *one = begin(&c, NULL);
    step(&c, got);
    step(&c, want);
    ck_assert_all(checkpoint_save(&(Checkpoint){.path = together, .trainer = got->trainer}, &error));
    ck_assert_all(comm->rank > 0 || checkpoint_save(&(Checkpoint){.path = alone, .trainer = want->trainer}, &error));
    ck_assert_all(comm->rank > 0 || fixture_same_files(alone, together));
    ck_assert_all(checkpoint_open(together, &file, &error));
    ck_assert_all(checkpoint_restore(&(Checkpoint){.path = together, .trainer = other->trainer}, &file, &error));
    ck_assert_all(checkpoint_restore(&(Checkpoint){.path = together, .trainer = one->trainer}, &file, &error));
    step(&c, other);
    step(&c, one);
    step(&c, want);
    ck_assert_all(difference(other->net, want->net) == 0);
    ck_assert_all(difference(one->net, want->net) == 0);
    safetensors_free(&file);
    case_end(got);
    case_end(want);
    case_end(other);
    case_end(one);
}

/* ---- what is refused ------------------------------------------------------------------------------------------------------- */

static void
refuse(PipelineOptions own, int micro_batches, int ranks, const char *words)
{
    PipelinePlan plan;
    const TrainOptions train = {.micro_batches = micro_batches};
    Net *net = net_create(cpu_backend("best", &error), 7);
    net_softmax_loss(net, deep_mlp(net, net_input(net, CASE_SIDE, CASE_SIDE, 1), CASE_CLASSES));
    ck_assert_refused(pipeline_plan(&plan, &own, net, &train, ranks, &error), words);
    net_free(net);
}

TEST(what_cannot_work_gets_a_sentence)
{
    refuse((PipelineOptions){.schedule = "none"}, 2, 2, "--pipeline none has one micro-batch");
    refuse((PipelineOptions){.schedule = "1f1b"}, 2, 9, "cannot be cut into 9 parts");
    refuse((PipelineOptions){.schedule = "1f1b", .stages = 2}, 2, 3, "3 ranks are no multiple");
    refuse((PipelineOptions){.schedule = "1f1b", .cut = {2, {3, 4}}}, 2, 2, "--cut has 2 numbers");
    refuse((PipelineOptions){.schedule = "1f1b", .cut = {2, {4, 4}}}, 2, 3, "expected ascending numbers");
    refuse((PipelineOptions){.schedule = "1f1b", .cut = {1, {9}}}, 2, 2, "expected ascending numbers of 1 to 8");
    refuse((PipelineOptions){.schedule = "pipedream"}, 2, 2, "is asynchronous");
    refuse((PipelineOptions){.schedule = "interleaved"}, 3, 2, "multiple of the 2 stages");
    refuse((PipelineOptions){.schedule = "1f1b"}, 20000, 2, "take fewer micro-batches");
    refuse((PipelineOptions){.schedule = "/nowhere"}, 2, 2, "cannot read /nowhere");
}

TEST_MAIN_MPI("pipeline_mpi")
