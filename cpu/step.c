/* See step.h. SPDX-License-Identifier: MIT */
#include "cpu/step.h"
#include "core/array.h"
#include "core/host.h"
#include "core/project.h"
#include "cpu/backend.h"
#include "ladder/peer.h"
#include "ladder/report.h"
#include "nn/optimizer.h"
#include "nn/run.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 64 };
#define RATE 0.01

static BenchNet what;
static const char *torch;
static Peer peer; /* one for each table, while has_peer */
static bool has_peer;

/* ---- our rows --------------------------------------------------------------------------------------------------------- */

/* A table of kernels at work. */
typedef struct Runner {
    Net *net;
    Run *run;
    Optimizer *optimizer;
} Runner;

typedef struct Inputs {
    int batch;
    size_t parameters, step;
    BenchData data;
    float *first,
        *gradients; /* [parameters]: the weights before the first step, and the bottom rung's gradients there */
    double largest; /* of the gradients */
    Runner runners[LADDER_RUNGS];
} Inputs;

static Runner
runner_create(const char *kernels, int batch)
{
    Net *net = bench_net_create(&what, cpu_backend(kernels, NULL));
    net_build(net);
    return (Runner){net, run_create(net, &(RunOptions){.max_batch = batch}),
                    optimizer_create(net_backend(net), OPTIMIZER_SGD, optimizer_defaults(), net_parameter_count(net))};
}

static void
runner_free(Runner *runner)
{
    optimizer_free(runner->optimizer);
    run_free(runner->run);
    net_free(runner->net);
}

static void
gradients_of(const Runner *runner, const Inputs *in, size_t i)
{
    const size_t samples = (size_t)in->batch;
    const Batch batch = {in->batch, in->data.x + i * samples * bench_net_features(&what), in->data.labels + i * samples,
                         NULL};
    run_forward(runner->run, &batch);
    run_backward(runner->run, 1, RUN_ONLY);
}

/* Weights and gradients are those of the bottom rung, one step of which costs little. */
static void *
create(const int *size, uint64_t seed, Error *error)
{
    (void)seed, (void)error;
    Inputs *in = ARRAY(Inputs, 1);
    Runner naive = runner_create("naive", size[0]);
    in->batch = size[0];
    in->parameters = net_parameter_count(naive.net);
    in->data = bench_data_create(&what, (size_t)BATCHES * (size_t)in->batch, 0);
    in->first = ARRAY(float, in->parameters);
    in->gradients = ARRAY(float, in->parameters);
    gradients_of(&naive, in, 0);
    memcpy(in->first, net_parameters(naive.net), in->parameters * sizeof(float));
    memcpy(in->gradients, net_gradients(naive.net), in->parameters * sizeof(float));
    for (size_t i = 0; i < in->parameters; i++) {
        const double magnitude = fabs((double)in->gradients[i]);
        in->largest = magnitude > in->largest ? magnitude : in->largest;
    }
    runner_free(&naive);
    return in;
}

static void
destroy(void *inputs)
{
    Inputs *in = inputs;
    for (int i = 0; i < LADDER_RUNGS; i++)
        if (in->runners[i].net != NULL)
            runner_free(&in->runners[i]);
    if (has_peer)
        peer_stop(&peer);
    has_peer = false;
    bench_data_free(&in->data);
    array_free(in->first);
    array_free(in->gradients);
    array_free(in);
}

/* The batches are random from the beginning. */
static void
refresh(void *inputs, uint64_t round)
{
    ((Inputs *)inputs)->step = round % BATCHES;
}

static Runner *
runner_of(const Rung *rung, Inputs *in)
{
    Runner *runner = &in->runners[*(const int *)rung->context];
    if (runner->net == NULL)
        *runner = runner_create(rung->name, in->batch);
    return runner;
}

static void
run(const Rung *rung, void *inputs)
{
    Inputs *in = inputs;
    const Runner *runner = runner_of(rung, in);
    gradients_of(runner, in, in->step++ % BATCHES);
    optimizer_step(runner->optimizer, net_parameters(runner->net), net_gradients(runner->net), RATE);
}

/* What was timed must have been training: arithmetic on NaN is as fast as any. Then from the first weights again, whose gradients
 * are known. The scale of the tolerance is the largest one, since sums of some hundred terms of either sign lose digits where they
 * nearly cancel. */
static Verdict
verify(const Rung *rung, void *inputs)
{
    Inputs *in = inputs;
    const Runner *runner = runner_of(rung, in);
    Verdict verdict = {.count = in->parameters, .what = "parameters are no finite number after the timed steps"};
    for (size_t i = 0; i < in->parameters; i++)
        verdict.wrong += !isfinite(net_parameters(runner->net)[i]);
    memcpy(net_parameters(runner->net), in->first, in->parameters * sizeof(float));
    if (verdict.wrong > 0)
        return verdict;
    if (!(in->largest > 0))
        return (Verdict){in->parameters, in->parameters, .what = "gradients are zero: nothing can be compared"};
    gradients_of(runner, in, 0);
    return verify_floats(net_gradients(runner->net), in->gradients, in->parameters, 1e-4 * in->largest, 0);
}

/* ---- PyTorch's -------------------------------------------------------------------------------------------------------- */

static bool
start_torch(int batch, Error *error)
{
    static char *const names[] = {"--inputs", "--classes", "--batch", "--threads"};
    const int numbers[] = {what.inputs, what.classes, batch, host_threads()};
    char program[PROJECT_PATH_MAX], text[4][24], hidden[OPTION_LIST_MAX * 12] = "";
    char *argv[16] = {(char *)torch, program, "--serve", "--hidden", hidden}, **next = argv + 5;
    if (!project_file("tools/peers/torch_step.py", program, error))
        return false;
    for (int i = 0; i < 4; i++) {
        snprintf(text[i], sizeof text[i], "%d", numbers[i]);
        *next++ = names[i];
        *next++ = text[i];
    }
    for (int l = 0; l < what.hidden.count; l++)
        snprintf(hidden + strlen(hidden), sizeof hidden - strlen(hidden), "%s%d", l ? "," : "", what.hidden.values[l]);
    if (what.model) {
        *next++ = "--model";
        *next++ = (char *)what.model->name;
    }
    return peer_start(&peer, argv, error);
}

/* PyTorch where there is none is no row. */
static bool
accepts(const Rung *rung, const int *size, Error *reason)
{
    return !rung->peer || (has_peer = start_torch(size[0], reason));
}

/* Of a step of the batch. */
static double
measure_torch(const int *size, double seconds, Error *error)
{
    return size[0] / peer_measure(&peer, seconds, error);
}

/* Below the table: which version it was. */
static void
note(const LadderTable *table, FILE *out)
{
    (void)table;
    if (peer.description[0] != '\0')
        fprintf(out, "  pytorch: %s, a process of its own that takes turns with ours\n", peer.description);
}

/* ---- the operation ---------------------------------------------------------------------------------------------------- */

static double
flops(const int *size)
{
    return bench_net_flops(&what, size[0]);
}

/* Samples and weights, each once. */
static double
bytes(const int *size)
{
    return sizeof(float) * (double)(bench_net_parameters(&what) + (size_t)size[0] * bench_net_features(&what));
}

static double
samples(const LadderTable *table, const LadderRow *row)
{
    return table->size[0] / row->time.median;
}

static const Column columns[] = {
    {"throughput", "/s", "samples in a second", samples},
    {"operations", "FLOP/s", "additions and multiplications of the products in a second", report_operations},
    {"bound", "%", "the time of the products at the measured peak, as a share of the time", report_share_of_bound},
    {0},
};

const Ladder *
step_ladder(const BenchNet *net, const char *python)
{
    static char names[256], network[BENCH_NET_TEXT], parameters[24];
    static int numbers[LADDER_RUNGS];
    static Rung rungs[LADDER_RUNGS];
    static const Fact facts[] = {{"network", network}, {"parameters", parameters}, {0}};
    static Ladder ladder;
    int count = 0;
    what = *net, torch = python;
    snprintf(names, sizeof names, "%s", cpu_backend_names());
    for (char *rest = names, *name; (name = strsep(&rest, "|")) != NULL && count < LADDER_RUNGS - 1; count++) {
        numbers[count] = count;
        rungs[count] = (Rung){.name = name, .file = "cpu/backend.c", .context = &numbers[count]};
    }
    if (torch != NULL)
        rungs[count++] =
            (Rung){.name = "pytorch", .peer = true, .idea = "tools/peers/torch_step.py", .measure = measure_torch};
    bench_net_text(&what, network);
    snprintf(parameters, sizeof parameters, "%zu", bench_net_parameters(&what));
    ladder = (Ladder){.operation = {.name = what.model != NULL ? what.model->name : "mlp",
                                    .formula = "a training step: forward, backward, SGD",
                                    .dimensions = "batch",
                                    .dimension_count = 1,
                                    .tolerance = "gradients are those of the naive kernels, within 1e-4 of the largest",
                                    .create = create,
                                    .refresh = refresh,
                                    .run = run,
                                    .verify = verify,
                                    .destroy = destroy,
                                    .accepts = accepts,
                                    .flops = flops,
                                    .bytes = bytes,
                                    .columns = columns,
                                    .note = note,
                                    .compared = COMPARED_LOWEST | COMPARED_PEER,
                                    .facts = facts},
                      .rungs = rungs,
                      .count = count};
    return &ladder;
}
