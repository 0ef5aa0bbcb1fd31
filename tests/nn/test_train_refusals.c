/* The training loop: what it refuses, and how it ends when the numbers run away.
 * SPDX-License-Identifier: MIT */
#include "tests/nn/training_fixture.h"

static void
expect_refusal(Fixture *fixture, const TrainOptions *options, const char *part)
{
    ck_assert_refused(fixture_try_trainer(fixture, options), part);
}

/* Data and a net, no trainer yet. */
static Fixture
untrained(void)
{
    Fixture fixture = {0};
    fixture_data(&fixture);
    fixture.net = fixture_net("best", 5);
    return fixture;
}

TEST(options_that_cannot_work)
{
    Fixture fixture = untrained();
    TrainOptions options = fixture_options();
    options.epochs = 0;
    expect_refusal(&fixture, &options, "epochs is 0, expected at least 1");
    options = fixture_options();
    options.batch = 0;
    expect_refusal(&fixture, &options, "batch size is 0, expected 1 to 59");
    options.batch = 60;
    expect_refusal(&fixture, &options, "batch size is 60, expected 1 to 59");
    options = fixture_options();
    options.optimizer_options.momentum = 1;
    expect_refusal(&fixture, &options, "momentum");
    fixture_free(&fixture);
}

TEST(rates_that_cannot_work)
{
    const double rates[] = {0, -0.1, NAN, INFINITY, -INFINITY};
    Fixture fixture = untrained();
    for (size_t i = 0; i < COUNT(rates); i++) {
        TrainOptions options = fixture_options();
        options.rate = rates[i];
        expect_refusal(&fixture, &options, "expected a number above 0");
    }
    fixture_free(&fixture);
}

TEST(no_samples_to_train_on)
{
    Fixture fixture = untrained();
    TrainOptions options = fixture_options();
    fixture.split.train_count = 0;
    expect_refusal(&fixture, &options, "no samples are left for training");
    fixture_free(&fixture);
}

TEST(network_that_does_not_fit_the_data)
{
    Fixture fixture = untrained();
    TrainOptions options = fixture_options();
    fixture.dataset.classes = 4;
    expect_refusal(&fixture, &options, "the network has 3 outputs, but clouds has 4 classes");
    fixture.dataset.classes = 3;
    fixture.dataset.features = 2;
    expect_refusal(&fixture, &options, "the network takes 4 numbers, but a sample of clouds has 2");
    fixture.dataset.features = FIXTURE_FEATURES;
    fixture_free(&fixture);
}

TEST(data_with_a_nan)
{
    Fixture fixture = untrained();
    TrainOptions options = fixture_options();
    fixture.dataset.x[17 * FIXTURE_FEATURES + 2] = NAN;
    expect_refusal(&fixture, &options, "clouds: feature 2 of sample 17 (both counted from 0) is nan");
    fixture.dataset.x[17 * FIXTURE_FEATURES + 2] = -INFINITY;
    expect_refusal(&fixture, &options, "is -inf");
    fixture_free(&fixture);
}

static void
expect_failure(Fixture *fixture, const char *words)
{
    ck_assert_refused(trainer_run(fixture->trainer, NULL, &error) != TRAIN_FAILED, words);
    fixture_free(fixture);
}

TEST(a_rate_too_high_is_named)
{
    TrainOptions options = fixture_options();
    options.optimizer = OPTIMIZER_SGD;
    options.rate = 1e25;
    Fixture fixture;
    fixture_create(&fixture, &options);
    expect_failure(&fixture, "(epoch 1): the learning rate 1e+25 is probably too high, so try 0.1");
}

/* The advice is a rate that usually works, and always a lower one. */
TEST(the_advised_rate_suits_the_optimizer)
{
    const struct {
        OptimizerKind kind;
        double rate;
        const char *advice;
    } cases[] = {
        {OPTIMIZER_SGD, 1e20, "so try 0.1"},    {OPTIMIZER_MOMENTUM, 1e20, "so try 0.01"},
        {OPTIMIZER_ADAM, 1e30, "so try 0.001"}, {OPTIMIZER_NESTEROV, 1e20, "so try 0.01"},
        {OPTIMIZER_SGD, 0.2, "so try 0.02"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TrainOptions options = fixture_options();
        options.optimizer = cases[i].kind;
        options.rate = cases[i].rate;
        Fixture fixture;
        fixture_create(&fixture, &options);
        net_parameters(fixture.net)[net_parameter_count(fixture.net) - 1] = NAN;
        expect_failure(&fixture, cases[i].advice);
        ck_assert_str_eq(strstr(error.text, "so try "), cases[i].advice);
    }
}

/* The gradients of the first step are finite, the weights after it are not: this is seen before the next forward pass. */
TEST(a_weight_that_overflows_is_seen_in_its_own_step)
{
    TrainOptions options = fixture_options();
    options.optimizer = OPTIMIZER_SGD;
    options.rate = 1e39; /* as a float: infinite */
    Fixture fixture;
    fixture_create(&fixture, &options);
    expect_failure(&fixture, "the value of a weight became nan in step 1 (epoch 1)");
}

TEST(inputs_too_large_are_named)
{
    Fixture fixture;
    fixture_create(&fixture, NULL);
    for (size_t i = 0; i < FIXTURE_SAMPLES * FIXTURE_FEATURES; i++)
        fixture.dataset.x[i] = 3e38f;
    expect_failure(&fixture, "in step 1 (epoch 1): the inputs are as large as 3e+38, so normalise");
}

TEST(the_step_is_counted_over_epochs)
{
    Fixture fixture;
    fixture_create(&fixture, NULL);
    double loss;
    for (int i = 0; i < 10; i++)
        ck_assert(trainer_step(fixture.trainer, &loss, &error));
    net_parameters(fixture.net)[net_parameter_count(fixture.net) - 1] = NAN; /* a bias of the output */
    expect_failure(&fixture, "the loss became nan in step 11 (epoch 2)");
}

TEST_MAIN("train_refusals")
