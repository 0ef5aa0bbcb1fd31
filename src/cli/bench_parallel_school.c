/* What the rows of a bench of data-parallel training learn from: samples, and the weights that are right.
 * SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "cli/bench_parallel.h"
#include "core/array.h"
#include "cpu/backend.h"
#include <string.h>

Batch
bench_parallel_batch(const BenchParallel *bench, const BenchData *data, uint64_t step, int batch)
{
    const size_t first = (size_t)(step % BENCH_PARALLEL_BATCHES) * (size_t)batch;
    return (Batch){.size = batch,
                   .x = data->x + first * bench_net_features(&bench->net),
                   .labels = data->labels + first,
                   .step = step};
}

/* The first batches of all ranks, each rank's part behind that of the rank before it. */
static BenchData
whole_batches(const BenchParallel *bench)
{
    const size_t part = (size_t)bench->batch, p = (size_t)bench->comm->size, features = bench_net_features(&bench->net);
    const size_t samples = BENCH_PARALLEL_CHECKED * p * part;
    BenchData whole = {ARRAY(float, samples *features), ARRAY(int, samples)};
    for (size_t r = 0; r < p; r++) {
        BenchData data = bench_data_create(&bench->net, BENCH_PARALLEL_CHECKED * part, (int)r);
        for (size_t i = 0; i < BENCH_PARALLEL_CHECKED; i++) {
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
train_serially(const BenchSchool *school)
{
    const BenchParallel *bench = school->bench;
    const int whole = bench->batch * bench->comm->size;
    Net *net = bench_net_create(&bench->net, cpu_backend(bench->kernels, NULL));
    net_build(net);
    Run *run = run_create(net, &(RunOptions){.max_batch = whole});
    Optimizer *optimizer =
        optimizer_create(net_backend(net), OPTIMIZER_SGD, optimizer_defaults(), net_parameter_count(net));
    BenchData data = whole_batches(bench);
    for (uint64_t i = 0; i < BENCH_PARALLEL_CHECKED; i++) {
        const Batch batch = bench_parallel_batch(bench, &data, i, whole);
        run_forward(run, &batch);
        run_backward(run, 1, RUN_ONLY);
        optimizer_step(optimizer, net_parameters(net), net_gradients(net), BENCH_PARALLEL_RATE);
    }
    memcpy(school->serial, net_parameters(net), bench->parameters * sizeof(float));
    bench_data_free(&data);
    optimizer_free(optimizer);
    run_free(run);
    net_free(net);
}

void
bench_parallel_look(BenchParallel *bench)
{
    Net *net = bench_net_create(&bench->net, NULL);
    bench->parameters = net_parameter_count(net);
    bench->tensors = net_parameter_tensors(net);
    bench->compared = net_average_count(net) == 0;
    net_free(net);
}

BenchSchool
bench_school_create(BenchParallel *bench)
{
    const size_t samples = (size_t)BENCH_PARALLEL_BATCHES * (size_t)bench->batch;
    const Shape input = bench_net_input(&bench->net);
    const size_t n = bench->parameters;
    Net *net = bench_net_create(&bench->net, cpu_backend(bench->kernels, NULL));
    net_build(net);
    BenchSchool school = {.bench = bench,
                          .data = bench_data_create(&bench->net, samples, bench->comm->rank),
                          .first = ARRAY(float, n),
                          .serial = ARRAY(float, n),
                          .agreed = ARRAY(float, n),
                          .other = ARRAY(float, n)};
    school.dataset = (Dataset){.name = "random numbers",
                               .count = samples,
                               .height = input.height,
                               .width = input.width,
                               .channels = input.channels,
                               .features = bench_net_features(&bench->net),
                               .classes = bench->net.classes,
                               .x = school.data.x,
                               .labels = school.data.labels};
    memcpy(school.first, net_parameters(net), n * sizeof(float));
    net_free(net);
    if (bench->compared && bench->comm->rank == 0)
        train_serially(&school);
    return school;
}

void
bench_school_free(BenchSchool *school)
{
    bench_data_free(&school->data);
    array_free(school->first);
    array_free(school->serial);
    array_free(school->agreed);
    array_free(school->other);
}

#endif
