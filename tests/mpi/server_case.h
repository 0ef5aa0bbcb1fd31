/* What the tests of parameter servers share: a training of the digits, alone or with servers, and comparisons on all ranks.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_MPI_SERVER_CASE_H
#define TESTS_MPI_SERVER_CASE_H

#include "core/array.h"
#include "core/host.h"
#include "core/process.h"
#include "cpu/backend.h"
#include "mpi/parallel/server/server.h"
#include "nn/train_data.h"
#include "tests/mpi/all_agree.h"
#include "tests/nets.h"
#include "tests/testing.h"

#define MLP "dense24 relu dense10 softmax"
#define LENET                                                                                                          \
    "conv6k5p2 relu max2 conv16k3p1 relu max2 dense120 relu dense84 relu dense10 softmax" /* of 8x8 pixels, as lenet.c */

/* What is trained and how. Zeros stand for: the MLP, plain SGD at rate 0.1, 2 epochs of 61 samples in batches of 13: 10 steps,
 * of which two have 9 samples. */
typedef struct Recipe {
    const char *layers;
    OptimizerKind optimizer;
    double rate, weight_decay;
    int epochs, batch;
    size_t samples;
} Recipe;

typedef struct Training {
    Dataset dataset;
    Split split;
    TrainData data;
    Net *net;
    Trainer *trainer;
    Comm *comm;         /* NULL: alone */
    Parallel *parallel; /* NULL: alone */
} Training;

static inline void
training_data(Training *training, size_t samples)
{
    ck_assert_ok(dataset_open("digits", &training->dataset, &error));
    ck_assert(dataset_split(&training->dataset, 0, 0.2, 1, &training->split, &error));
    for (size_t i = 0; i < training->dataset.count * training->dataset.features; i++)
        training->dataset.x[i] /= 16;
    if (samples < training->split.train_count)
        training->split.train_count = samples;
}

/* A process on its own. The trainer keeps pointers into *training, which therefore stays where it is. */
static inline void
training_alone(Training *training, Recipe recipe)
{
    const int batch = recipe.batch ? recipe.batch : 13;
    *training = (Training){0};
    host_set_threads(1);
    training_data(training, recipe.samples ? recipe.samples : 61);
    const Shape input = {training->dataset.height, training->dataset.width, training->dataset.channels};
    training->net = net_from_text(cpu_backend("best", NULL), 7, input, recipe.layers ? recipe.layers : MLP);
    TrainOptions options = {.epochs = recipe.epochs ? recipe.epochs : 2,
                            .batch = batch,
                            .rate = recipe.rate > 0 ? recipe.rate : 0.1,
                            .optimizer = recipe.optimizer,
                            .optimizer_options = optimizer_defaults(),
                            .seed = 3};
    options.optimizer_options.weight_decay = recipe.weight_decay;
    ck_assert_ok(train_data_create(&training->data, &training->dataset, &training->split, &options, &error));
    training->trainer =
        trainer_create(training->net, training->data.training, training->data.validation, &options, &error);
    ck_assert_ok(training->trainer);
}

/* One rank of a group. */
static inline void
training_with_servers(Training *training, Recipe recipe, const char *kind, int servers, int bound)
{
    training_alone(training, recipe);
    training->comm = comm_create(MPI_COMM_WORLD, 0);
    const ParallelOptions options = {.strategy = kind,
                                     .own = &(ServerOptions){.servers = servers, .bound = bound},
                                     .collectives = collectives_named("ring", NULL),
                                     .straggler = -1};
    training->parallel = parallel_create(training->comm, training->trainer, &options, &error);
    ck_assert_ok(training->parallel);
}

static inline void
training_free(Training *training)
{
    parallel_free(training->parallel);
    comm_free(training->comm);
    trainer_free(training->trainer);
    train_data_free(&training->data);
    net_free(training->net);
    split_free(&training->split);
    dataset_free(&training->dataset);
}

static inline void
training_run(Training *training)
{
    const TrainEnd end = trainer_run(training->trainer, NULL, &error);
    ck_assert_ok(all_agree(end == TRAIN_DONE));
}

/* The verdict of all ranks; who disagrees says so. */
static inline void
expect(bool mine, const char *what, double got, double want)
{
    if (!mine)
        fprintf(stderr, "rank %d of %d: %s: %.9g, expected %.9g\n", process_rank(), process_count(), what, got, want);
    ck_assert_msg(all_agree(mine), "%s: see above", what);
}

static inline double
difference(const float *a, const float *b, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)a[i] - (double)b[i]) <= largest)) /* NaN is a difference */
            largest = fabs((double)a[i] - (double)b[i]);
    return largest;
}

/* Parameters, averages and the optimiser's state of two runs. */
static inline double
training_difference(Training *a, Training *b)
{
    const size_t n = net_parameter_count(a->net);
    double largest = difference(net_parameters(a->net), net_parameters(b->net), n);
    largest = fmax(largest, difference(net_averages(a->net), net_averages(b->net), net_average_count(a->net)));
    for (int i = 0; i < optimizer_state_count(a->trainer->optimizer); i++)
        largest = fmax(largest, difference(optimizer_state(a->trainer->optimizer, i, NULL),
                                           optimizer_state(b->trainer->optimizer, i, NULL), n));
    return largest;
}

static inline void
expect_bits_of_rank_0(const float *x, size_t n, const char *what)
{
    const bool same = same_as_rank_0(x, n * sizeof(float));
    expect(same, what, same, 1);
}

/* Weights, averages, optimiser and losses are those of rank 0, to the bit. */
static inline void
expect_all_ranks_alike(Training *training)
{
    const size_t n = net_parameter_count(training->net);
    expect_bits_of_rank_0(net_parameters(training->net), n, "weights of rank 0");
    expect_bits_of_rank_0(net_averages(training->net), net_average_count(training->net), "averages of rank 0");
    for (int i = 0; i < optimizer_state_count(training->trainer->optimizer); i++)
        expect_bits_of_rank_0(optimizer_state(training->trainer->optimizer, i, NULL), n, "optimiser of rank 0");
    for (uint64_t e = 0; e < training->trainer->position.epoch; e++) {
        double loss = training->trainer->history[e].loss;
        CHECK_MPI(PMPI_Bcast(&loss, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD));
        expect(loss == training->trainer->history[e].loss, "loss of rank 0", training->trainer->history[e].loss, loss);
    }
}

/* Skips where there are fewer ranks. */
static inline void
need_workers(int servers, int workers)
{
    if (process_count() < servers + workers)
        skip_test("it needs %d ranks, and there are %d", servers + workers, process_count());
}

#endif
