/* One row of a bench of data-parallel training: its steps, timed and verified. SPDX-License-Identifier: MIT */
#ifdef HAVE_MPI
#include "cli/bench_parallel.h"
#include "core/array.h"
#include "core/checked_mpi.h"
#include "core/clock.h"
#include "cpu/backend.h"
#include "data/batches.h"
#include "ladder/quiet.h"
#include "ladder/verify.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

#define WITHIN_SERIAL 1e-5
#define WITHIN_PLANS  1e-6

/* Net and trainer of its own, so that plans which measure layers, or send other buckets after the first steps, keep what they
 * know. */
struct BenchTrainee {
    BenchSchool *school;
    BenchParallelKind kind;
    Net *net;
    Source *source;
    Trainer *trainer;
    Parallel *parallel;        /* BENCH_PLAN */
    BenchParallelParts *parts; /* BENCH_APART: filled in */
    double begin;              /* of the backward pass */
    uint64_t steps;            /* taken */
};

/* ---- what ranks agree on ---------------------------------------------------------------------------------------------- */

double
bench_parallel_slowest(const Comm *comm, double mine)
{
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, comm->mpi));
    return mine;
}

static size_t
sum_of(const Comm *comm, size_t mine)
{
    unsigned long long sum = mine;
    CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, comm->mpi));
    return (size_t)sum;
}

/* A rank that waits in a barrier looks for messages all the time, on a core. */
void
bench_parallel_sleep(const Comm *comm)
{
    const struct timespec pause = {0, 1000000};
    MPI_Request request;
    int done = 0;
    CHECK_MPI(MPI_Ibarrier(comm->mpi, &request));
    for (;;) {
        CHECK_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
        if (done)
            return;
        nanosleep(&pause, NULL);
    }
}

/* ---- one row ---------------------------------------------------------------------------------------------------------- */

/* Of BENCH_APART: a layer's gradients are final. */
static void
note_layer(void *context, size_t first, size_t count)
{
    const BenchTrainee *trainee = context;
    BenchParallelParts *parts = trainee->parts;
    parts->layer[parts->layers++] = (DataLayer){.first = first, .count = count, .ready = clock_now() - trainee->begin};
}

BenchTrainee *
bench_trainee_create(BenchSchool *school, const BenchParallelRow *row, Error *error)
{
    BenchParallel *bench = school->bench;
    Net *net = bench_net_create(&bench->net, cpu_backend(bench->kernels, NULL));
    net_build(net);
    const TrainOptions options = {.epochs = 1,
                                  .batch = bench->batch,
                                  .rate = BENCH_PARALLEL_RATE,
                                  .optimizer = OPTIMIZER_SGD,
                                  .optimizer_options = optimizer_defaults()};
    BenchTrainee *trainee = ARRAY(BenchTrainee, 1);
    *trainee = (BenchTrainee){.school = school, .kind = row->kind, .net = net};
    trainee->source = batches_create(&school->dataset, NULL, school->dataset.count,
                                     (BatchOptions){.size = (size_t)bench->batch}, error);
    if (trainee->source != NULL)
        trainee->trainer = trainer_create(net, trainee->source, NULL, &options, error);
    bool ok = trainee->trainer != NULL;
    if (ok && row->kind == BENCH_PLAN) {
        const DataOptions data = {
            .overlap = row->overlap, .bucket = bench->bucket, .first_bucket = bench->first_bucket};
        const ParallelOptions parallel = {
            .strategy = "data", .own = &data, .collectives = row->collectives, .straggler = -1};
        trainee->parallel = parallel_create(bench->comm, trainee->trainer, &parallel, error);
        ok = trainee->parallel != NULL;
    }
    if (ok && row->kind == BENCH_APART) {
        trainee->parts = &bench->parts;
        net_on_gradient(net, note_layer, trainee);
    }
    if (ok)
        return trainee;
    bench_trainee_free(trainee);
    return NULL;
}

void
bench_trainee_free(BenchTrainee *trainee)
{
    if (trainee == NULL)
        return;
    parallel_free(trainee->parallel);
    trainer_free(trainee->trainer);
    source_free(trainee->source);
    net_free(trainee->net);
    array_free(trainee);
}

const DataTimeline *
bench_trainee_timeline(const BenchTrainee *trainee)
{
    return trainee->parallel != NULL ? data_timeline(trainee->parallel) : NULL;
}

static void
take_plan_step(BenchTrainee *trainee)
{
    const BenchParallel *bench = trainee->school->bench;
    TrainStep step = {.batch = bench_parallel_batch(bench, &trainee->school->data, trainee->steps++, bench->batch),
                      .whole = bench->batch * bench->comm->size,
                      .rate = BENCH_PARALLEL_RATE};
    step.batch.first_sample = (uint64_t)bench->comm->rank * (uint64_t)bench->batch;
    trainee->parallel->group.learn(trainee->parallel->group.context, trainee->trainer, &step);
}

/* As train_alone, and where the time goes is added up. */
static void
take_own_step(BenchTrainee *trainee, int round)
{
    const BenchParallel *bench = trainee->school->bench;
    BenchParallelParts *parts = trainee->parts;
    const Batch batch = bench_parallel_batch(bench, &trainee->school->data, trainee->steps++, bench->batch);
    const double start = clock_now();
    run_forward(trainee->trainer->run, &batch);
    trainee->begin = clock_now();
    if (parts != NULL)
        parts->layers = 0;
    run_backward(trainee->trainer->run, 1, RUN_ONLY);
    const double update = clock_now();
    optimizer_step(trainee->trainer->optimizer, net_parameters(trainee->net), net_gradients(trainee->net),
                   BENCH_PARALLEL_RATE);
    if (parts == NULL || round < 0)
        return;
    double *sample = parts->samples + round, before = 0;
    sample[0] += trainee->begin - start;
    for (int l = 0; l < parts->layers; l++) {
        sample[(l + 1) * bench->rounds] += parts->layer[l].ready - before;
        before = parts->layer[l].ready;
    }
    sample[(parts->layers + 1) * bench->rounds] += clock_now() - update;
}

double
bench_trainee_step(BenchTrainee *trainee, int round)
{
    const BenchParallel *bench = trainee->school->bench;
    const Comm *comm = bench->comm;
    double seconds = 0;
    quiet_wait(0.02); /* threads of the row before have stopped waiting for work */
    CHECK_MPI(MPI_Barrier(comm->mpi));
    if (trainee->kind != BENCH_ALONE || comm->rank == 0) {
        const double start = clock_now();
        for (int i = 0; i < bench->steps; i++)
            if (trainee->parallel != NULL)
                take_plan_step(trainee);
            else
                take_own_step(trainee, round);
        seconds = clock_now() - start;
    }
    if (trainee->kind == BENCH_ALONE)
        bench_parallel_sleep(comm);
    return bench_parallel_slowest(comm, seconds) / bench->steps;
}

/* Zeros, whose sums stay zeros however often they are taken. The last all-reduce is that of parallel_agree. */
double
bench_trainee_communicate(BenchTrainee *trainee)
{
    BenchSchool *school = trainee->school;
    const BenchParallel *bench = school->bench;
    const DataTimeline *timeline = bench_trainee_timeline(trainee);
    AllReduce *all_reduce = trainee->parallel->options.collectives->all_reduce;
    memset(school->other, 0, bench->parameters * sizeof(float));
    quiet_wait(0.02);
    CHECK_MPI(MPI_Barrier(bench->comm->mpi));
    const double start = clock_now();
    for (int i = 0; i < bench->steps; i++) {
        double loss_and_stop[2] = {0, 0};
        for (int b = 0; b < timeline->buckets; b++) {
            float *sums = school->other + timeline->bucket[b].first;
            all_reduce(bench->comm, sums, sums, timeline->bucket[b].count, ELEMENT_FLOAT, REDUCTION_SUM);
        }
        all_reduce(bench->comm, loss_and_stop, loss_and_stop, 2, ELEMENT_DOUBLE, REDUCTION_SUM);
    }
    return bench_parallel_slowest(bench->comm, clock_now() - start) / bench->steps;
}

/* ---- is it right? ----------------------------------------------------------------------------------------------------- */

static void
note_wrong(BenchParallelRow *row, size_t wrong, const char *what, const char *when)
{
    if (wrong > 0 && row->wrong == 0)
        snprintf(row->reason, sizeof row->reason, "%zu weights %s, %s", wrong, what, when);
    row->wrong += wrong;
}

void
bench_trainee_check(BenchTrainee *trainee, BenchParallelRow *row, const char *when)
{
    BenchSchool *school = trainee->school;
    const BenchParallel *bench = school->bench;
    const size_t n = bench->parameters;
    const float *weights = net_parameters(trainee->net);
    size_t differ = 0, off[2] = {0, 0};
    memcpy(net_parameters(trainee->net), school->first, n * sizeof(float));
    trainee->steps = 0;
    for (int i = 0; i < BENCH_PARALLEL_CHECKED; i++)
        take_plan_step(trainee);

    memcpy(school->other, weights, n * sizeof(float));
    CHECK_MPI(MPI_Bcast(school->other, (int)n, MPI_FLOAT, 0, bench->comm->mpi));
    for (size_t i = 0; i < n; i++)
        differ += memcmp(&weights[i], &school->other[i], sizeof(float)) != 0;
    if (bench->comm->rank == 0) {
        if (bench->compared)
            off[0] = verify_floats(weights, school->serial, n, WITHIN_SERIAL, WITHIN_SERIAL).wrong;
        if (!school->agreement)
            memcpy(school->agreed, weights, n * sizeof(float));
        off[1] = verify_floats(weights, school->agreed, n, WITHIN_PLANS, WITHIN_PLANS).wrong;
    }
    school->agreement = true;
    note_wrong(row, sum_of(bench->comm, differ), "differ from rank to rank", when);
    note_wrong(row, sum_of(bench->comm, off[0]), "are not those of one process with the whole batch", when);
    note_wrong(row, sum_of(bench->comm, off[1]), "are not those of the first plan", when);
}

#endif
