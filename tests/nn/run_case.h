/* Networks and batches for the tests of runs (test_run*.c): LeNet on images of 8 x 8 pixels, and ResNet-20 and a small residual
 * network, which have batch normalisation.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_NN_RUN_CASE_H
#define TESTS_NN_RUN_CASE_H

#include "core/array.h"
#include "core/host.h"
#include "core/rng.h"
#include "cpu/backend.h"
#include "nn/models/models.h"
#include "nn/run.h"
#include "tests/testing.h"

enum { CASE_BATCH = 9, CASE_SIDE = 8, CASE_CLASSES = 5, CASE_FEATURES = CASE_SIDE * CASE_SIDE * 2 };

/* Two residual blocks, one of which halves the image, and dropout: 24 layers. */
static inline int
small_resnet_build(Net *net, int x, int classes)
{
    x = net_relu(net, net_batchnorm(net, net_conv2d(net, x, (Conv2d){.channels = 5, .kernel = 3, .padding = 1})));
    for (int b = 0; b < 2; b++) {
        const Conv2d conv = {.channels = 5 + 2 * b, .kernel = 3, .padding = 1, .stride = 1 + b, .no_bias = true};
        int y = net_relu(net, net_batchnorm(net, net_conv2d(net, x, conv)));
        y = net_conv2d(net, y, (Conv2d){.channels = conv.channels, .kernel = 1});
        if (b == 1)
            x = net_conv2d(net, x, (Conv2d){.channels = conv.channels, .kernel = 1, .stride = 2});
        x = net_relu(net, net_add(net, y, x));
    }
    x = net_dropout(net, net_layernorm(net, net_maxpool(net, x, (Pool){.kernel = 2})), 0.25F);
    return net_dense(net, net_tanh(net, net_dense(net, x, 11)), classes);
}

typedef struct RunCase {
    const char *name;
    ModelBuild *build;
    bool normalises; /* each micro-batch by its own statistics */
} RunCase;

static const RunCase run_cases[] = {
    {"lenet", lenet_build, false}, {"small resnet", small_resnet_build, true}, {"resnet20", resnet20_build, true}};
enum { LENET, SMALL_RESNET, RESNET20, RUN_CASES };

/* The whole description, not built. */
static inline Net *
case_describe(const RunCase *c, NumberType type)
{
    host_set_threads(1); /* faster for so small ones; the bits are the same */
    Net *net = net_create(cpu_backend("best", NULL), 5);
    const int x = net_input(net, CASE_SIDE, CASE_SIDE, 2);
    net_number_type(net, type);
    net_softmax_loss(net, c->build(net, x, CASE_CLASSES));
    return net;
}

static inline Net *
case_net(const RunCase *c)
{
    Net *net = case_describe(c, NUMBER_FP32);
    net_build(net);
    return net;
}

/* Samples first .. first + size - 1 of a batch of CASE_BATCH. */
static inline Batch
case_batch(int first, int size)
{
    static float x[CASE_BATCH * CASE_FEATURES];
    static int labels[CASE_BATCH];
    rng_fill_normal(11, 1, 0, x, CASE_BATCH * CASE_FEATURES, 0, 1);
    for (int i = 0; i < CASE_BATCH; i++)
        labels[i] = (3 * i + 1) % CASE_CLASSES;
    return (Batch){.size = size,
                   .x = x + (size_t)first * CASE_FEATURES,
                   .labels = labels + first,
                   .step = 3,
                   .first_sample = (uint64_t)first};
}

/* All that a step leaves: loss, probabilities, gradients, running averages. */
typedef struct CaseResult {
    double loss;
    float output[CASE_BATCH * CASE_CLASSES];
    float *gradients, *averages;
    size_t parameters, average_count;
} CaseResult;

static inline float *
copied(const float *x, size_t n)
{
    float *copy = ARRAY(float, n);
    if (n > 0)
        memcpy(copy, x, n * sizeof(float));
    return copy;
}

static inline CaseResult
case_result(Net *net, double loss)
{
    return (CaseResult){.loss = loss,
                        .gradients = copied(net_gradients(net), net_parameter_count(net)),
                        .averages = copied(net_averages(net), net_average_count(net)),
                        .parameters = net_parameter_count(net),
                        .average_count = net_average_count(net)};
}

static inline void
case_result_free(CaseResult *result)
{
    array_free(result->gradients);
    array_free(result->averages);
}

/* One step of one run over the whole batch, from the first weights of a net of its own. */
static inline CaseResult
case_whole(const RunCase *c, const RunOptions *options)
{
    Net *net = case_net(c);
    Run *run = run_create(net, options);
    const Batch batch = case_batch(0, CASE_BATCH);
    const double loss = run_forward(run, &batch);
    CaseResult result;
    run_backward(run, 1, RUN_ONLY);
    result = case_result(net, loss);
    memcpy(result.output, run_output(run), sizeof result.output);
    run_free(run);
    net_free(net);
    return result;
}

#define ck_assert_same_bits(name, got, want, n)                                                                        \
    ck_assert_msg(memcmp((got), (want), (n) * sizeof(float)) == 0, "%s: " #got " is not " #want " bit by bit", name)

static inline void
ck_assert_same_result(const char *name, const CaseResult *got, const CaseResult *want)
{
    ck_assert_msg(got->loss == want->loss, "%s: the loss is %.17g, expected %.17g", name, got->loss, want->loss);
    ck_assert_uint_eq(got->parameters, want->parameters);
    ck_assert_same_bits(name, got->gradients, want->gradients, want->parameters);
    ck_assert_same_bits(name, got->averages, want->averages, want->average_count);
}

#endif
