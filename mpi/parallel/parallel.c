/* What the ways of training together share (mpi/parallel/parallel.h). SPDX-License-Identifier: MIT */
#include "mpi/parallel/parallel.h"
#include "core/clock.h"
#include "mpi/chunk.h"
#include "mpi/parallel/data/data.h"
#include "mpi/parallel/gossip/gossip.h"
#include "mpi/parallel/server/server.h"
#include "nn/host_view.h"
#include <math.h>
#include <time.h>

const ParallelKind *const parallel_kinds[] = {
    &parallel_data, &parallel_gossip, &parallel_local, &parallel_easgd, &parallel_server, &parallel_async, NULL,
};

const ParallelKind *
parallel_kind(const char *name)
{
    for (int i = 0; parallel_kinds[i] != NULL; i++)
        if (strcmp(parallel_kinds[i]->name, name) == 0)
            return parallel_kinds[i];
    return NULL;
}

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

Parallel *
parallel_create(Comm *comm, Trainer *trainer, const ParallelOptions *options, Error *error)
{
    const ParallelKind *kind = parallel_kind(options->kind);
    if (kind == NULL)
        return error_set(error, "there is no way '%s' of training in parallel", options->kind), NULL;
    if (comm->size < kind->fewest)
        return error_set(
                   error,
                   "--parallel %s needs at least %d ranks, but there are %d: sh tools/mpirun.sh %d starts so many",
                   kind->name, kind->fewest, comm->size, kind->fewest),
               NULL;
    if (net_backend(trainer->net)->memory->separate && !kind->on_device)
        return error_set(error,
                         "--parallel %s needs the network in the host's memory: give --device cpu, or --parallel data",
                         kind->name),
               NULL;
    Parallel *parallel = kind->create(comm, trainer->net, options, error);
    if (parallel == NULL)
        return NULL;
    parallel->team.group = parallel_group(parallel);
    same_weights(comm, trainer->net, options->collectives);
    trainer->team = &parallel->team;
    trainer->process = comm->rank;
    return parallel;
}

void
parallel_free(Parallel *parallel)
{
    if (parallel != NULL)
        parallel->free(parallel);
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

static void
straggle(const Parallel *parallel)
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
    const double share = (double)step->batch.size / step->whole;
    ParallelTimes *times = &parallel->times;
    times->begin = clock_now();
    straggle(parallel);
    times->forward = times->backward = clock_now();
    double loss = 0;
    if (step->batch.size == 0) {
        net_backward_of_nothing(trainer->net);
    } else {
        loss = net_forward(trainer->net, &step->batch);
        train_record(trainer, "forward", times->forward);
        times->backward = clock_now();
        net_backward(trainer->net, (float)share);
        train_record(trainer, "backward", times->backward);
    }
    times->end = clock_now();
    return share * loss;
}

void
parallel_agree(Parallel *parallel, TrainStep *step, double share)
{
    double sums[2] = {step->failed ? NAN : share, step->stop};
    parallel->options.collectives->all_reduce(parallel->comm, sums, sums, 2, ELEMENT_DOUBLE, REDUCTION_SUM);
    step->loss = sums[0];
    step->stop = sums[1] > 0;
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
    parallel->options.collectives->all_reduce(parallel->comm, averages, averages, n, ELEMENT_FLOAT, REDUCTION_SUM);
    for (size_t i = 0; i < n; i++)
        averages[i] /= (float)parallel->workers;
    host_view_end(memory, net_averages(net), averages, n);
}
