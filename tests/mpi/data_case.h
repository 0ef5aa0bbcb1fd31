/* A few steps of training, in one process and by ranks together, from the same weights over the same batches. To be called by all
 * ranks. SPDX-License-Identifier: MIT */
#ifndef TESTS_MPI_DATA_CASE_H
#define TESTS_MPI_DATA_CASE_H

#include "core/array.h"
#include "core/checked_mpi.h"
#include "core/rng.h"
#include "cpu/backend.h"
#include "mpi/parallel/data/data.h"
#include "nn/models/models.h"
#include "nn/train_data.h"
#include "tests/mpi/all_agree.h"
#include "tests/testing.h"

enum { CASE_SIDE = 8, CASE_CLASSES = 10, CASE_SEED = 7 };

typedef struct DataCase {
    ModelBuild *model;
    int samples, batch, steps;
} DataCase;

/* Two hidden layers. */
static inline int
case_mlp(Net *net, int x, int classes)
{
    x = net_tanh(net, net_dense(net, net_flatten(net, x), 37));
    x = net_relu(net, net_dense(net, x, 23));
    return net_dense(net, x, classes);
}

/* Images of noise, in which class c has bright pixels of its own. */
static inline void
case_data(const DataCase *c, Dataset *dataset, Split *split)
{
    const size_t pixels = CASE_SIDE * CASE_SIDE, n = (size_t)c->samples;
    ck_assert_ok(dataset_create(dataset, n, CASE_SIDE, CASE_SIDE, 1, &error));
    dataset->classes = CASE_CLASSES;
    rng_fill_normal(5, 1, 0, dataset->x, n * pixels, 0, 0.5);
    for (size_t i = 0; i < n; i++) {
        dataset->labels[i] = (int)(i % CASE_CLASSES);
        for (size_t k = 0; k < 6; k++)
            dataset->x[i * pixels + i % CASE_CLASSES * 6 + k] += 1;
    }
    ck_assert_ok(dataset_split(dataset, 0, 0, 1, split, &error));
}

static inline Net *
case_net(const DataCase *c, uint64_t seed)
{
    Net *net = net_create(cpu_backend("best", &error), seed);
    net_softmax_loss(net, c->model(net, net_input(net, CASE_SIDE, CASE_SIDE, 1), CASE_CLASSES));
    net_build(net);
    return net;
}

/* What takes the place of TrainGroup.learn. */
typedef void CaseLearn(void *context, Trainer *trainer, TrainStep *step);

typedef struct CaseRun {
    Dataset dataset;
    Split split;
    TrainData data;
    Net *net;
    Trainer *trainer;
    Parallel *parallel;
} CaseRun;

/* options NULL: one process. learn may be NULL. */
static inline CaseRun *
case_begin_parts(const DataCase *c, Comm *comm, const ParallelOptions *options, CaseLearn *learn, int micro_batches)
{
    CaseRun *run = ARRAY(CaseRun, 1);
    case_data(c, &run->dataset, &run->split);
    /* Other weights on each rank, if they were not told those of rank 0. */
    run->net = case_net(c, CASE_SEED + (options != NULL ? (uint64_t)comm->rank : 0));
    const TrainOptions train = {.epochs = c->steps,
                                .batch = c->batch,
                                .micro_batches = micro_batches,
                                .rate = 0.05,
                                .optimizer = OPTIMIZER_SGD,
                                .optimizer_options = optimizer_defaults(),
                                .seed = 3};
    ck_assert_ok(train_data_create(&run->data, &run->dataset, &run->split, &train, &error));
    run->trainer = trainer_create(run->net, run->data.training, NULL, &train, &error);
    ck_assert_ok(run->trainer);
    run->parallel = options != NULL ? parallel_create(comm, run->trainer, options, &error) : NULL;
    ck_assert_ok(run->parallel != NULL || options == NULL);
    if (learn != NULL) {
        run->parallel->group.learn = learn;
        net_on_gradient(run->net, NULL, NULL);
    }
    return run;
}

static inline CaseRun *
case_begin(const DataCase *c, Comm *comm, const ParallelOptions *options, CaseLearn *learn)
{
    return case_begin_parts(c, comm, options, learn, 1);
}

static inline void
case_end(CaseRun *run)
{
    parallel_free(run->parallel);
    trainer_free(run->trainer);
    train_data_free(&run->data);
    net_free(run->net);
    split_free(&run->split);
    dataset_free(&run->dataset);
    array_free(run);
}

/* The parameters after the steps. Free with array_free. */
static inline float *
case_train(const DataCase *c, Comm *comm, const ParallelOptions *options, CaseLearn *learn)
{
    CaseRun *run = case_begin(c, comm, options, learn);
    for (int step = 0; step < c->steps; step++) {
        double loss;
        ck_assert_ok(trainer_step(run->trainer, &loss, &error));
    }
    const size_t n = net_parameter_count(run->net);
    float *parameters = ARRAY(float, n);
    memcpy(parameters, net_parameters(run->net), n * sizeof(float));
    case_end(run);
    return parameters;
}

static inline size_t
case_parameters(const DataCase *c)
{
    Net *net = case_net(c, CASE_SEED);
    const size_t n = net_parameter_count(net);
    net_free(net);
    return n;
}

/* The largest difference; NaN counts as infinite. */
static inline double
case_difference(const float *a, const float *b, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        const double difference = fabs((double)a[i] - b[i]);
        if (!(difference <= largest))
            largest = difference == difference ? difference : INFINITY;
    }
    return largest;
}

#endif
