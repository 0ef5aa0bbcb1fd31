/* Samples per second of a whole training step (forward, backward, SGD) of a network with softmax loss, on the kernels of both
 * ends of the ladders and, where Python has it, in PyTorch. All rows of a table take turns, round by round, on random batches;
 * before that, the gradients of the rows are compared.
 * SPDX-License-Identifier: MIT */
#include "cli/bench_step.h"
#include "cli/bench_peer.h"
#include "cli/thread_list.h"
#include "core/array.h"
#include "core/clock.h"
#include "core/host.h"
#include "core/project.h"
#include "cpu/backend.h"
#include "ladder/verify.h"
#include "nn/optimizer.h"
#include "nn/run.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCHES = 64, PAUSE = 20000 /* microseconds: the other's threads have stopped waiting for work by then */ };

/* Our side of a table: one of the tables of kernels. */
typedef struct Runner {
    Net *net;
    Run *run;
    Optimizer *optimizer;
} Runner;

static Runner
runner_create(const BenchStep *bench, const Backend *backend)
{
    Net *net = bench_net_create(&bench->net, backend);
    net_build(net);
    return (Runner){net, run_create(net, &(RunOptions){.max_batch = bench->batch}),
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
gradients_of(Run *run, const BenchStep *bench, const BenchData *data, size_t i)
{
    const size_t samples = (size_t)bench->batch;
    const Batch batch = {bench->batch, data->x + i * samples * bench_net_features(&bench->net),
                         data->labels + i * samples, NULL};
    run_forward(run, &batch);
    run_backward(run, 1, RUN_ONLY);
}

/* Samples per second over about bench->seconds. */
static double
runner_measure(Runner *runner, const BenchStep *bench, const BenchData *data)
{
    const double start = clock_now();
    double elapsed;
    size_t steps = 0;
    do {
        for (int i = 0; i < 20; i++) {
            gradients_of(runner->run, bench, data, steps++ % BATCHES);
            optimizer_step(runner->optimizer, net_parameters(runner->net), net_gradients(runner->net), 0.01);
        }
        elapsed = clock_now() - start;
    } while (elapsed < bench->seconds);
    return (double)steps * bench->batch / elapsed;
}

/* Both start from the same weights: their first gradients must agree. The scale of the tolerance is the largest gradient, since
 * sums of some hundred terms of either sign lose digits where they nearly cancel. */
static bool
runners_agree(const Runner *a, const Runner *b, const BenchStep *bench, const BenchData *data, Error *error)
{
    const size_t n = net_parameter_count(a->net);
    double largest = 0;
    char text[200];
    gradients_of(a->run, bench, data, 0);
    gradients_of(b->run, bench, data, 0);
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs((double)net_gradients(a->net)[i]));
    if (!(largest > 0))
        return error_set(error, "the gradients are all zero, so that nothing can be compared");
    const Verdict verdict = verify_floats(net_gradients(b->net), net_gradients(a->net), n, 1e-4 * largest, 0);
    verdict_print(&verdict, text, sizeof text);
    return verdict_ok(&verdict) || error_set(error, "The gradients of the two tables of kernels differ: %s.", text);
}

/* What was timed must have been training: arithmetic on NaN is as fast as any. */
static bool
weights_are_finite(const Runner *runner, Error *error)
{
    for (size_t i = 0; i < net_parameter_count(runner->net); i++)
        if (!isfinite(net_parameters(runner->net)[i]))
            return error_set(error, "parameter %zu is %g after the timed steps: what was timed is not training", i,
                             (double)net_parameters(runner->net)[i]);
    return true;
}

static bool
start_torch(const BenchStep *bench, int threads, Peer *peer, Error *error)
{
    static char *const names[] = {"--inputs", "--classes", "--batch", "--threads"};
    const int numbers[] = {bench->net.inputs, bench->net.classes, bench->batch, threads};
    char program[PROJECT_PATH_MAX], text[4][24], hidden[OPTION_LIST_MAX * 12] = "";
    char *argv[16] = {(char *)bench->torch, program, "--serve", "--hidden", hidden}, **next = argv + 5;
    if (!project_file("tools/peers/torch_step.py", program, error))
        return false;
    for (int i = 0; i < 4; i++) {
        snprintf(text[i], sizeof text[i], "%d", numbers[i]);
        *next++ = names[i];
        *next++ = text[i];
    }
    for (int l = 0; l < bench->net.hidden.count; l++)
        snprintf(hidden + strlen(hidden), sizeof hidden - strlen(hidden), "%s%d", l ? "," : "",
                 bench->net.hidden.values[l]);
    if (bench->net.model) {
        *next++ = "--model";
        *next++ = (char *)bench->net.model->name;
    }
    return peer_start(peer, argv, error);
}

/* One measurement of every row, in their order; NaN in none of them. */
static bool
measure_round(const BenchStep *bench, BenchStepTable *table, int round, Runner *runners, const BenchData *data,
              Peer *peer, Error *error)
{
    for (int r = 0; r < table->rows; r++) {
        const bool is_peer = table->has_peer && r == table->rows - 1;
        usleep(PAUSE);
        const double rate =
            is_peer ? peer_measure(peer, bench->seconds, error) : runner_measure(&runners[r], bench, data);
        if (isnan(rate))
            return false;
        if (round >= 0) /* the first one only warms up */
            table->row[r].rates[round] = rate;
    }
    return true;
}

static bool
measure_table(BenchStep *bench, BenchStepTable *table, const BenchData *data, Error *error)
{
    Runner runners[2];
    Peer peer;
    Error no_peer;
    int count = 0;
    const bool all = strcmp(bench->kernels, "all") == 0;
    const char *const both[] = {"naive", "best"}, *const *names = all ? both : &bench->kernels;
    for (; count < (all ? 2 : 1); count++) {
        runners[count] = runner_create(bench, cpu_backend(names[count], NULL));
        snprintf(table->row[count].name, sizeof table->row[0].name, "%s kernels", names[count]);
    }
    bench->parameters = net_parameter_count(runners[0].net);
    table->rows = count;
    bool ok = count < 2 || runners_agree(&runners[0], &runners[1], bench, data, error);
    if (ok && bench->torch) {
        table->has_peer = start_torch(bench, table->threads, &peer, &no_peer);
        if (table->has_peer)
            snprintf(table->row[table->rows++].name, sizeof table->row[0].name, "%s", peer.description);
        else
            fprintf(stderr, "%s: no row for PyTorch: %s\n", bench->command, no_peer.text);
    }
    for (int r = 0; r < table->rows; r++)
        table->row[r].rates = ARRAY(double, (size_t)bench->rounds);
    for (int round = -1; ok && round < bench->rounds; round++)
        ok = measure_round(bench, table, round, runners, data, &peer, error);
    for (int i = 0; ok && i < count; i++)
        ok = weights_are_finite(&runners[i], error);
    if (table->has_peer)
        peer_stop(&peer);
    for (int i = 0; i < count; i++)
        runner_free(&runners[i]);
    return ok;
}

bool
bench_step(BenchStep *bench, Error *error)
{
    bool ok = true;
    bench->flops = bench_net_flops(&bench->net, bench->batch);
    BenchData data = bench_data_create(&bench->net, (size_t)BATCHES * (size_t)bench->batch, 0);
    machine_measure(&bench->machine, thread_list_max(&bench->threads));
    for (int t = 0; ok && t < bench->threads.count; t++) {
        BenchStepTable *table = &bench->tables[t];
        *table = (BenchStepTable){.threads = bench->threads.values[t], .rounds = bench->rounds};
        host_set_threads(table->threads);
        ok = measure_table(bench, table, &data, error);
        if (ok)
            bench_step_print(bench, table);
    }
    ok = ok && (!bench->csv || bench_step_csv(bench, error)) && (!bench->json || bench_step_json(bench, error));
    for (int t = 0; t < bench->threads.count; t++)
        for (int r = 0; r < bench->tables[t].rows; r++)
            array_free(bench->tables[t].row[r].rates);
    bench_data_free(&data);
    return ok;
}
