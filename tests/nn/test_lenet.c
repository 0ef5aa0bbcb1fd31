/* LeNet trains the same with the bottom and with the top of every ladder, and on one thread and two.
 * SPDX-License-Identifier: MIT */
#include "core/array.h"
#include "core/host.h"
#include "cpu/backend.h"
#include "nn/models/models.h"
#include "nn/train_data.h"
#include "tests/testing.h"

enum { STEPS = 20, SIZE = 16 };

typedef struct Training {
    double loss[STEPS];
    double seconds;
    float *parameters; /* owned */
    size_t count;
} Training;

/* The first steps on the digits, with Adam. */
static Training
train(const char *model, const char *kernels, int threads)
{
    Dataset digits;
    Split split;
    ck_assert_ok(dataset_open("digits", &digits, &error));
    ck_assert(dataset_split(&digits, 0, 0.2, 1, &split, &error));
    for (size_t i = 0; i < digits.count * digits.features; i++)
        digits.x[i] /= 16;
    host_set_threads(threads);
    Net *net = net_create(cpu_backend(kernels, NULL), 1);
    const int x = net_input(net, digits.height, digits.width, digits.channels);
    net_softmax_loss(net, model_find(model)->build(net, x, digits.classes));
    net_build(net);
    const TrainOptions options = {.epochs = 1,
                                  .batch = SIZE,
                                  .rate = 0.003,
                                  .optimizer = OPTIMIZER_ADAM,
                                  .optimizer_options = optimizer_defaults(),
                                  .seed = 1};
    TrainData data;
    ck_assert_ok(train_data_create(&data, &digits, &split, &options, &error));
    Trainer *trainer = trainer_create(net, data.training, NULL, &options, &error);
    ck_assert_ok(trainer);
    Training training = {.count = net_parameter_count(net), .parameters = ARRAY(float, net_parameter_count(net))};
    for (int i = 0; i < STEPS; i++)
        ck_assert_ok(trainer_step(trainer, &training.loss[i], &error));
    training.seconds = trainer->seconds;
    memcpy(training.parameters, net_parameters(net), training.count * sizeof(float));
    trainer_free(trainer);
    train_data_free(&data);
    net_free(net);
    split_free(&split);
    dataset_free(&digits);
    return training;
}

TEST(naive_and_best_kernels_agree)
{
    Training naive = train("lenet", "naive", 1), best = train("lenet", "best", 1);
    ck_assert_doubles(best.loss, naive.loss, STEPS, 1e-4, 0);
    ck_assert_double_lt(best.loss[STEPS - 1], 0.8 * best.loss[0]); /* and they learn */
    printf("best trains LeNet %.1f times as fast as naive here\n", naive.seconds / best.seconds);
    array_free(naive.parameters);
    array_free(best.parameters);
}

static void
check_threads(const char *model)
{
    Training one = train(model, "best", 1), two = train(model, "best", 2);
    ck_assert_mem_eq(one.loss, two.loss, sizeof(one.loss));
    ck_assert_mem_eq(one.parameters, two.parameters, one.count * sizeof(float));
    array_free(one.parameters);
    array_free(two.parameters);
}

TEST_CALL(lenet_has_the_same_bits_on_two_threads, check_threads("lenet"))

/* Batch normalisation and dropout as well. */
TEST_CALL(vgg_small_has_the_same_bits_on_two_threads, check_threads("vgg-small"))

TEST_MAIN("lenet")
