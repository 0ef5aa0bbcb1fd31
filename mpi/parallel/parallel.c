/* What strategies share (mpi/parallel/parallel.h). SPDX-License-Identifier: MIT */
#include "mpi/parallel/parallel.h"
#include "core/array.h"
#include "core/clock.h"
#include "mpi/chunk.h"
#include "nn/host_view.h"
#include <math.h>
#include <time.h>

/* PyTorch's DistributedDataParallel does the same in its constructor: equal gradients are of use only to equal weights. */
static void
same_weights(Comm *comm, Net *net, const Collectives *collectives)
{
    float *const array[] = {net_parameters(net), net_averages(net)};
    const size_t count[] = {net_parameter_count(net), net_average_count(net)};
    const Memory *memory = net_backend(net)->memory;
    for (int a = 0; a < 2; a++) {
        float *view = host_view_begin(memory, array[a], count[a]);
        collectives->broadcast(comm, view, count[a], ELEMENT_FLOAT, 0);
        host_view_end(memory, array[a], view, count[a]);
    }
}

static void *
copy_of(const void *values, size_t size)
{
    void *copy = array_create(size, 1);
    memcpy(copy, values, size);
    return copy;
}

static void
free_base(const Parallel *base)
{
    queue_free(base->queue);
    array_free((void *)base->options.own);
}

Parallel *
parallel_create(Comm *comm, Trainer *trainer, const ParallelOptions *options, Error *error)
{
    const Strategy *strategy = strategy_named(options->strategy);
    if (strategy == NULL)
        return error_set(error, "there is no strategy '%s' of training in parallel", options->strategy), NULL;
    if (comm->size < strategy->fewest)
        return error_set(
                   error,
                   "--parallel %s needs at least %d ranks, but there are %d: sh tools/mpirun.sh %d starts that number",
                   strategy->name, strategy->fewest, comm->size, strategy->fewest),
               NULL;
    if (net_backend(trainer->net)->memory->separate && !strategy->on_device)
        return error_set(error,
                         "--parallel %s needs the network in the host's memory: give --device cpu, or --parallel data",
                         strategy->name),
               NULL;
    const StrategyValues defaults = strategy_defaults();
    Parallel base = {.strategy = strategy,
                     .queue = queue_create(),
                     .comm = comm,
                     .replicas = comm,
                     .training = &trainer->options,
                     .options = *options,
                     .workers = comm->size,
                     .worker = comm->rank};
    base.options.own =
        copy_of(options->own != NULL ? options->own : strategy_values(strategy, &defaults), strategy->size);
    Parallel *parallel = strategy->create(&base, trainer->net, error);
    if (parallel == NULL)
        return free_base(&base), NULL;
    parallel->group.processes = parallel_group(parallel);
    same_weights(parallel->replicas, trainer->net, options->collectives);
    trainer->group = &parallel->group;
    trainer->process = comm->rank;
    /* cppcheck-suppress returnDanglingLifetime ; create has copied it */
    return parallel;
}

void
parallel_free(Parallel *parallel)
{
    if (parallel == NULL)
        return;
    const Parallel base = *parallel;
    parallel->free(parallel);
    free_base(&base);
}

void
parallel_part(void *context, size_t size, size_t *first, size_t *count)
{
    const Parallel *parallel = context;
    *first = *count = 0;
    if (parallel->worker < 0)
        return;
    const Chunk chunk = chunk_of(size, parallel->workers, parallel->worker);
    *first = chunk.first;
    *count = chunk.count;
}

void
parallel_straggle(const Parallel *parallel)
{
    if (parallel->comm->rank != parallel->options.straggler || !(parallel->options.straggler_seconds > 0))
        return;
    const double seconds = parallel->options.straggler_seconds;
    const struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&pause, NULL);
}

double
parallel_gradient(Parallel *parallel, Trainer *trainer, const TrainStep *step)
{
    ParallelTimes *times = &parallel->times;
    times->begin = clock_now();
    parallel_straggle(parallel);
    times->forward = clock_now();
    const double share = train_gradient(trainer, step, &times->backward);
    times->end = clock_now();
    return share;
}

typedef struct Agreement {
    const Parallel *parallel;
    double sums[2]; /* loss; how many ranks stop */
} Agreement;

static void
agree(void *context)
{
    Agreement *agreement = context;
    const Parallel *parallel = agreement->parallel;
    parallel->options.collectives->all_reduce(parallel->comm, agreement->sums, agreement->sums, 2, ELEMENT_DOUBLE,
                                              REDUCTION_SUM);
}

void
parallel_agree(Parallel *parallel, TrainStep *step, double share)
{
    Agreement agreement = {parallel, {step->failed ? NAN : share, step->stop}};
    queue_run(parallel->queue, parallel->comm, agree, &agreement);
    step->loss = agreement.sums[0];
    step->stop = agreement.sums[1] > 0;
}

typedef struct Averages {
    const Parallel *parallel;
    float *x;
    size_t n;
} Averages;

static void
add_averages(void *context)
{
    const Averages *a = context;
    const Parallel *parallel = a->parallel;
    parallel->options.collectives->all_reduce(parallel->replicas, a->x, a->x, a->n, ELEMENT_FLOAT, REDUCTION_SUM);
}

void
parallel_average(Parallel *parallel, Net *net)
{
    const Memory *memory = net_backend(net)->memory;
    const size_t n = net_average_count(net);
    if (n == 0)
        return;
    float *averages = host_view_begin(memory, net_averages(net), n);
    for (size_t i = 0; parallel->worker < 0 && i < n; i++)
        averages[i] = 0; /* a server sees no samples */
    queue_run(parallel->queue, parallel->replicas, add_averages, &(Averages){parallel, averages, n});
    for (size_t i = 0; i < n; i++)
        averages[i] /= (float)parallel->workers;
    host_view_end(memory, net_averages(net), averages, n);
}
