/* A small training for tests: three clouds of points in four dimensions, an MLP, a trainer. For test_train*.c and
 * test_checkpoint.c.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_NN_TRAINING_FIXTURE_H
#define TESTS_NN_TRAINING_FIXTURE_H

#include "core/rng.h"
#include "cpu/backend.h"
#include "nn/train_data.h"
#include "tests/testing.h"

enum { FIXTURE_SAMPLES = 97, FIXTURE_FEATURES = 4, FIXTURE_CLASSES = 3 };

typedef struct Fixture {
    Dataset dataset;
    Split split;
    TrainData data;
    Net *net;
    Trainer *trainer;
} Fixture;

/* Class c lies around the point whose coordinate c is 2; the clouds touch. 97 is prime: every batch size leaves a rest. */
static inline void
fixture_data(Fixture *fixture)
{
    ck_assert(dataset_create(&fixture->dataset, FIXTURE_SAMPLES, 1, 1, FIXTURE_FEATURES, &error));
    strcpy(fixture->dataset.name, "clouds");
    fixture->dataset.classes = FIXTURE_CLASSES;
    rng_fill_normal(5, 1, 0, fixture->dataset.x, FIXTURE_SAMPLES * FIXTURE_FEATURES, 0, 0.7);
    for (int i = 0; i < FIXTURE_SAMPLES; i++) {
        fixture->dataset.labels[i] = i % FIXTURE_CLASSES;
        fixture->dataset.x[i * FIXTURE_FEATURES + i % FIXTURE_CLASSES] += 2;
    }
    ck_assert(dataset_split(&fixture->dataset, 0.2, 0.2, 1, &fixture->split, &error));
}

static inline TrainOptions
fixture_options(void)
{
    return (TrainOptions){.epochs = 4,
                          .batch = 8,
                          .rate = 0.01,
                          .optimizer = OPTIMIZER_ADAM,
                          .optimizer_options = optimizer_defaults(),
                          .seed = 3};
}

static inline Net *
fixture_net(const char *kernels, int hidden)
{
    const Backend *backend = cpu_backend(kernels, &error);
    ck_assert_ptr_nonnull(backend);
    Net *net = net_create(backend, 7);
    int x = net_input(net, 1, 1, FIXTURE_FEATURES);
    x = net_relu(net, net_dense(net, x, hidden));
    net_softmax_loss(net, net_dense(net, x, FIXTURE_CLASSES));
    net_build(net);
    return net;
}

/* The trainer of a fixture that has its data and its net; NULL where it is refused. */
static inline Trainer *
fixture_try_trainer(Fixture *fixture, const TrainOptions *options)
{
    train_data_free(&fixture->data);
    if (!train_data_create(&fixture->data, &fixture->dataset, &fixture->split, options, &error))
        return NULL;
    return trainer_create(fixture->net, fixture->data.training, fixture->data.validation, options, &error);
}

static inline void
fixture_trainer(Fixture *fixture, const TrainOptions *options)
{
    fixture->trainer = fixture_try_trainer(fixture, options);
    ck_assert_ok(fixture->trainer);
}

/* On all ranks, where the trainer has a process group. */
static inline Evaluation
fixture_evaluate(const Fixture *fixture, Source *source)
{
    Evaluation result;
    ck_assert_ok(train_evaluate(fixture->net, source, fixture->trainer->group, &result, &error));
    return result;
}

/* Of the training samples in their order, in batches of this size. */
static inline Evaluation
fixture_evaluate_training(const Fixture *fixture, size_t batch)
{
    Source *source = batches_create(&fixture->dataset, fixture->split.train, fixture->split.train_count,
                                    (BatchOptions){.size = batch}, &error);
    ck_assert_ok(source);
    const Evaluation result = fixture_evaluate(fixture, source);
    source_free(source);
    return result;
}

/* options NULL: fixture_options(). The trainer keeps pointers into *fixture, which therefore stays where it is. */
static inline void
fixture_create(Fixture *fixture, const TrainOptions *options)
{
    const TrainOptions defaults = fixture_options();
    *fixture = (Fixture){0};
    fixture_data(fixture);
    fixture->net = fixture_net("best", 13);
    fixture_trainer(fixture, options != NULL ? options : &defaults);
}

static inline void
fixture_free(Fixture *fixture)
{
    trainer_free(fixture->trainer);
    train_data_free(&fixture->data);
    net_free(fixture->net);
    split_free(&fixture->split);
    dataset_free(&fixture->dataset);
}

static inline void
fixture_run(Fixture *fixture)
{
    TrainEnd end = trainer_run(fixture->trainer, NULL, &error);
    ck_assert_ok(end == TRAIN_DONE);
}

static inline size_t
fixture_bytes(const Fixture *fixture)
{
    return net_parameter_count(fixture->net) * sizeof(float);
}

/* Whether both are there and have the same bytes. */
static inline bool
fixture_same_files(const char *a, const char *b)
{
    FILE *const file[2] = {fopen(a, "rb"), fopen(b, "rb")};
    int byte[2] = {0, 0};
    while (file[0] && file[1] && byte[0] == byte[1] && byte[0] != EOF)
        for (int i = 0; i < 2; i++)
            byte[i] = getc(file[i]);
    for (int i = 0; i < 2; i++)
        if (file[i])
            fclose(file[i]);
    return byte[0] == EOF && byte[1] == EOF;
}

#endif
