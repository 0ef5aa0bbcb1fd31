/* Training on the device's table: the CPU's losses for the first 20 steps, weights that are saved and read back, and no finding
 * by the emulator that checks.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/rng.h"
#include "cpu/backend.h"
#include "gpu/backend.h"
#include "gpu/counters.h"
#include "nn/host_view.h"
#include "nn/optimizer.h"
#include "nn/weights.h"
#include "tests/nets.h"
#include "tests/testing.h"

enum { BATCH = 7, STEPS = 20, OUTPUTS = 4, PIXELS_MAX = 8 * 8 * 2 };

typedef struct Data {
    float x[BATCH * PIXELS_MAX], targets[BATCH * OUTPUTS];
    int labels[BATCH];
} Data;

/* Of step t: each step has its own. */
static void
draw(Data *data, uint64_t t)
{
    rng_fill_uniform(9, 1, t * 10000, data->x, BATCH * PIXELS_MAX, -1, 1);
    rng_fill_uniform(9, 2, t * 10000, data->targets, BATCH * OUTPUTS, -1, 1);
    for (uint64_t i = 0; i < BATCH; i++)
        data->labels[i] = (int)(rng_bits_at(9, 3, t * BATCH + i) % OUTPUTS);
}

typedef struct Learner {
    Run *run;
    Net *net; /* of the run */
    Optimizer *optimizer;
} Learner;

static Learner
learner_create(const Backend *backend, Shape input, const char *layers, OptimizerKind kind)
{
    Run *run = run_from_text(backend, 1, input, layers, BATCH);
    Net *net = run_net(run);
    return (Learner){run, net, optimizer_create(backend, kind, optimizer_defaults(), net_parameter_count(net))};
}

static void
learner_free(Learner *learner)
{
    optimizer_free(learner->optimizer);
    run_free_all(learner->run);
}

/* Every third batch is smaller. */
static double
step(Learner *learner, const Data *data, uint64_t t, bool labels)
{
    const Batch batch = {.size = t % 3 == 2 ? BATCH - 2 : BATCH,
                         .x = data->x,
                         .labels = labels ? data->labels : NULL,
                         .targets = labels ? NULL : data->targets,
                         .step = t};
    const double loss = run_forward(learner->run, &batch);
    run_backward(learner->run, 1, RUN_ONLY);
    optimizer_step(learner->optimizer, net_parameters(learner->net), net_gradients(learner->net), 0.01);
    ck_assert(net_backend(learner->net)->all_finite(net_parameter_count(learner->net), net_parameters(learner->net)));
    return loss;
}

static const Backend *
backend_or_skip(GpuKind kind)
{
    const Backend *backend = gpu_backend(kind, &error);
    if (backend == NULL)
        skip_test("%s", error.text);
    return backend;
}

static void
compare(const Backend *gpu, Shape input, const char *layers, OptimizerKind kind)
{
    Data data;
    const bool labels = strstr(layers, "mse") == NULL;
    Learner a = learner_create(cpu_backend("naive", NULL), input, layers, kind);
    Learner b = learner_create(gpu, input, layers, kind);
    for (uint64_t t = 0; t < STEPS; t++) {
        draw(&data, t);
        const double want = step(&a, &data, t, labels), got = step(&b, &data, t, labels);
        ck_assert_msg(fabs(got - want) <= 1e-4, "%s, %s, step %d: loss %.9g, want %.9g", layers,
                      optimizer_kind_name(kind), (int)t, got, want);
    }
    const Batch predict = {.size = BATCH, .x = data.x, .inference = true};
    run_forward(a.run, &predict);
    run_forward(b.run, &predict);
    ck_assert_floats(run_output(b.run), run_output(a.run), BATCH * OUTPUTS, 2e-3, 0);
    learner_free(&a);
    learner_free(&b);
}

static const char mlp[] = "dense9 relu dense4 softmax";
static const char lenet[] = "conv6k3p1 relu avg2 conv8k3 tanh max2 dense10 sigmoid dense4 softmax";
static const char others[] = "conv4k3p1n1 batchnorm relu wide max3s2p1c1 drop30 layernorm twice global dense4 mse";

static void
compare_all(const Backend *gpu)
{
    for (OptimizerKind kind = OPTIMIZER_SGD; kind <= OPTIMIZER_ADAM; kind++)
        compare(gpu, (Shape){1, 1, 13}, mlp, kind);
    compare(gpu, (Shape){8, 8, 1}, lenet, OPTIMIZER_ADAM);
    compare(gpu, (Shape){7, 6, 2}, others, OPTIMIZER_MOMENTUM);
}

TEST_CALL(losses_are_the_cpus_on_the_emulator, compare_all(backend_or_skip(GPU_EMULATOR)))
TEST_CALL(losses_are_the_cpus_on_the_device, compare_all(backend_or_skip(GPU_DEVICE)))

/* The same parameters as a net of the CPU's: from the seed, and from a file. */
static void
expect_same_parameters(Net *a, Net *b)
{
    const size_t n = net_parameter_count(a);
    const Memory *memory = net_backend(b)->memory;
    float *view = host_view_begin(memory, net_parameters(b), n);
    ck_assert_floats(view, net_parameters(a), n, 0, 0);
    host_view_end(memory, net_parameters(b), view, n);
}

TEST(weights_go_there_and_back)
{
    Data data;
    Learner a = learner_create(cpu_backend("naive", NULL), (Shape){7, 6, 2}, others, OPTIMIZER_SGD);
    Learner b = learner_create(backend_or_skip(GPU_EMULATOR), (Shape){7, 6, 2}, others, OPTIMIZER_SGD);
    expect_same_parameters(a.net, b.net);
    draw(&data, 0);
    step(&b, &data, 0, false);
    const char *path = testing_path("weights");
    ck_assert_ok(weights_save(b.net, path, &error));
    ck_assert_ok(weights_load(a.net, path, &error));
    expect_same_parameters(a.net, b.net);
    step(&a, &data, 1, false);
    ck_assert_ok(weights_save(a.net, path, &error));
    ck_assert_ok(weights_load(b.net, path, &error));
    expect_same_parameters(a.net, b.net);
    learner_free(&a);
    learner_free(&b);
}

TEST(a_process_has_one_kind_of_device)
{
    const Backend *emulator = backend_or_skip(GPU_EMULATOR);
    ck_assert_str_eq(emulator->name, "emulator");
    ck_assert_ptr_eq(gpu_backend(GPU_EMULATOR, &error), emulator);
    if (gpu_library(GPU_EMULATOR_CHECKED, &error) == NULL)
        skip_test("%s", error.text);
    ck_assert_refused(gpu_backend(GPU_EMULATOR_CHECKED, &error), "emulator is in use");
}

/* All memory is freed: a leak would be a finding. */
static void
expect_no_finding(const char *layers, Shape input, OptimizerKind kind)
{
    Data data;
    GpuCounters counters;
    Learner learner = learner_create(backend_or_skip(GPU_EMULATOR_CHECKED), input, layers, kind);
    const GpuLibrary *library = gpu_library(GPU_EMULATOR_CHECKED, &error);
    ck_assert_ok(gpu_counters_open(&counters, library, &error));
    for (uint64_t t = 0; t < 3; t++) {
        draw(&data, t);
        step(&learner, &data, t, strstr(layers, "mse") == NULL);
    }
    run_forward(learner.run, &(Batch){.size = 1, .x = data.x, .inference = true});
    ck_assert(isfinite(run_output(learner.run)[0]));
    learner_free(&learner);
    int (*leaks)(void) = (int (*)(void))gpu_function(library, "emulator_leaks", &error);
    ck_assert_ok(leaks);
    ck_assert_int_eq(leaks(), 0);
    if (counters.findings() > 0)
        counters.report_findings(stderr);
    ck_assert_int_eq(counters.findings(), 0);
}

TEST_CALL(no_finding_in_a_perceptron, expect_no_finding(mlp, (Shape){1, 1, 13}, OPTIMIZER_ADAM))
TEST_CALL(no_finding_in_lenet, expect_no_finding(lenet, (Shape){8, 8, 1}, OPTIMIZER_NESTEROV))
TEST_CALL(no_finding_in_the_other_layers, expect_no_finding(others, (Shape){7, 6, 2}, OPTIMIZER_SGD))

TEST_MAIN("gpu backend in training")
