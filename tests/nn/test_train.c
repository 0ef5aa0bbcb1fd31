/* The training loop: what it computes, and that the same input gives the same bits. What it refuses is in
 * test_train_refusals.c, how it is watched and how networks are evaluated in test_train_watch.c.
 * SPDX-License-Identifier: MIT */
#include "core/host.h"
#include "tests/nn/training_fixture.h"

static float *
trained_weights(const TrainOptions *options, const char *kernels, size_t *count)
{
    Fixture fixture = {0};
    fixture_data(&fixture);
    fixture.net = fixture_net(kernels, 13);
    fixture_trainer(&fixture, options);
    fixture_run(&fixture);
    *count = net_parameter_count(fixture.net);
    float *weights = malloc(*count * sizeof(float));
    memcpy(weights, net_parameters(fixture.net), *count * sizeof(float));
    fixture_free(&fixture);
    return weights;
}

TEST(training_learns)
{
    TrainOptions options = fixture_options();
    options.epochs = 30;
    Fixture fixture;
    fixture_create(&fixture, &options);
    fixture_run(&fixture);
    const TrainEpoch *history = fixture.trainer->history;
    ck_assert_double_lt(history[29].loss, history[0].loss / 2);
    Evaluation test = fixture_evaluate(&fixture, fixture.data.test);
    ck_assert_double_gt(test.accuracy, 0.8);
    fixture_free(&fixture);
}

TEST(same_seed_same_bits)
{
    TrainOptions options = fixture_options();
    size_t n;
    float *a = trained_weights(&options, "best", &n), *b = trained_weights(&options, "best", &n);
    ck_assert_mem_eq(a, b, n * sizeof(float));
    free(a);
    free(b);
}

TEST(another_seed_gives_another_order)
{
    TrainOptions options = fixture_options();
    size_t n;
    float *a = trained_weights(&options, "best", &n);
    options.seed++;
    float *b = trained_weights(&options, "best", &n);
    ck_assert_mem_ne(a, b, n * sizeof(float));
    free(a);
    free(b);
}

TEST(threads_do_not_change_the_bits)
{
    TrainOptions options = fixture_options();
    size_t n;
    host_set_threads(1);
    float *a = trained_weights(&options, "best", &n);
    for (int threads = 2; threads <= 3; threads++) {
        host_set_threads(threads);
        float *b = trained_weights(&options, "best", &n);
        ck_assert_mem_eq(a, b, n * sizeof(float));
        free(b);
    }
    free(a);
}

/* A few steps only: differences of rounding grow with every step. */
TEST(naive_and_best_kernels_agree)
{
    TrainOptions options = fixture_options();
    options.epochs = 2;
    options.optimizer = OPTIMIZER_MOMENTUM;
    size_t n;
    float *naive = trained_weights(&options, "naive", &n), *best = trained_weights(&options, "best", &n);
    ck_assert_floats(best, naive, n, 1e-4, 1e-3);
    free(naive);
    free(best);
}

TEST(one_step_on_all_samples_is_gradient_descent)
{
    TrainOptions options = fixture_options();
    options.optimizer = OPTIMIZER_SGD;
    options.rate = 0.25;
    options.epochs = 1;
    Fixture fixture = {0};
    fixture_data(&fixture);
    options.batch = (int)fixture.split.train_count;
    fixture.net = fixture_net("best", 5);
    fixture_trainer(&fixture, &options);
    ck_assert_uint_eq(trainer_steps_total(fixture.trainer), 1);

    size_t n = net_parameter_count(fixture.net);
    double *want = malloc(n * sizeof(double));
    for (size_t i = 0; i < n; i++)
        want[i] = (double)net_parameters(fixture.net)[i];
    double loss;
    ck_assert(trainer_step(fixture.trainer, &loss, &error));
    for (size_t i = 0; i < n; i++) /* the gradients of that step are still there */
        want[i] -= 0.25 * (double)net_gradients(fixture.net)[i];
    for (size_t i = 0; i < n; i++)
        ck_assert_double_eq_tol((double)net_parameters(fixture.net)[i], want[i], 1e-6);
    free(want);
    fixture_free(&fixture);
}

TEST(steps_count_the_partial_batch)
{
    Fixture fixture;
    fixture_create(&fixture, NULL); /* 97 samples, of which 19 validate and 19 test */
    ck_assert_uint_eq(fixture.split.train_count, 59);
    ck_assert_uint_eq(fixture.trainer->steps_per_epoch, 8);
    ck_assert_uint_eq(trainer_steps_total(fixture.trainer), 32);
    fixture_run(&fixture);
    ck_assert_uint_eq(trainer_steps_done(fixture.trainer), 32);
    ck_assert_uint_eq(fixture.trainer->samples, 4 * 59);
    fixture_free(&fixture);
}

TEST(drop_last_leaves_out_the_partial_batch)
{
    TrainOptions options = fixture_options();
    options.drop_last = true;
    Fixture fixture;
    fixture_create(&fixture, &options);
    fixture_run(&fixture);
    ck_assert_uint_eq(fixture.trainer->steps_per_epoch, 7);
    ck_assert_uint_eq(fixture.trainer->samples, 4 * 56);
    fixture_free(&fixture);
}

/* With a rate too small to move a weight, an epoch's loss is the loss of the training samples, the last batch (of 3)
 * weighing as much as it has samples. */
TEST(loss_of_an_epoch_is_the_mean_over_its_samples)
{
    TrainOptions options = fixture_options();
    options.optimizer = OPTIMIZER_SGD;
    options.rate = 1e-30;
    options.epochs = 1;
    Fixture fixture;
    fixture_create(&fixture, &options);
    Evaluation want = fixture_evaluate_training(&fixture, 8);
    fixture_run(&fixture);
    ck_assert_double_eq_tol(fixture.trainer->history[0].loss, want.loss, 1e-6);
    fixture_free(&fixture);
}

TEST(history_has_the_validation_accuracy)
{
    Fixture fixture;
    fixture_create(&fixture, NULL);
    fixture_run(&fixture);
    Evaluation want = fixture_evaluate(&fixture, fixture.data.validation);
    ck_assert(fixture.trainer->history[3].validation == want.accuracy);
    ck_assert_double_ge(fixture.trainer->history[3].seconds, 0);
    fixture_free(&fixture);
}

TEST(without_a_validation_part_its_accuracy_is_nan)
{
    Fixture fixture;
    fixture_create(&fixture, NULL);
    fixture.trainer->validation = NULL;
    fixture_run(&fixture);
    ck_assert(isnan(fixture.trainer->history[3].validation));
    fixture_free(&fixture);
}

TEST(schedule_scales_the_rate)
{
    TrainOptions options = fixture_options();
    ck_assert(schedule_parse("step:8:0.5", &options.schedule, &error)); /* 8 steps are one epoch */
    Fixture fixture;
    fixture_create(&fixture, &options);
    fixture_run(&fixture);
    for (int e = 0; e < 4; e++)
        ck_assert(fixture.trainer->history[e].rate == 0.01 * pow(0.5, e));
    fixture_free(&fixture);
}

/* Test and validation samples are replaced by others: the weights keep every bit. */
TEST(samples_that_do_not_train_do_not_matter)
{
    TrainOptions options = fixture_options();
    Fixture a, b;
    fixture_create(&a, &options);
    fixture_create(&b, &options);
    for (size_t i = 0; i < b.split.test_count; i++) {
        b.dataset.x[b.split.test[i] * FIXTURE_FEATURES] = 1e9f;
        b.dataset.labels[b.split.test[i]] = 0;
    }
    for (size_t i = 0; i < b.split.validation_count; i++)
        b.dataset.labels[b.split.validation[i]] = 1;
    fixture_run(&a);
    fixture_run(&b);
    ck_assert_mem_eq(net_parameters(a.net), net_parameters(b.net), fixture_bytes(&a));
    fixture_free(&a);
    fixture_free(&b);
}

TEST_MAIN("train")
