/* Evaluating a network, and looking on while it is trained. Not the training itself: that is test_train.c.
 * SPDX-License-Identifier: MIT */
#include "tests/nn/training_fixture.h"

TEST(evaluation_does_not_depend_on_the_batch)
{
    Fixture fixture;
    fixture_create(&fixture, NULL);
    fixture_run(&fixture);
    Evaluation one = fixture_evaluate_training(&fixture, 1);
    for (size_t batch = 2; batch <= 8; batch++) {
        Evaluation some = fixture_evaluate_training(&fixture, batch);
        ck_assert_uint_eq(some.correct, one.correct);
        ck_assert_double_eq_tol(some.loss, one.loss, 1e-6);
        ck_assert_uint_eq(some.count, fixture.split.train_count);
    }
    fixture_free(&fixture);
}

TEST(evaluation_changes_no_weight)
{
    Fixture fixture;
    fixture_create(&fixture, NULL);
    float *before = malloc(fixture_bytes(&fixture));
    memcpy(before, net_parameters(fixture.net), fixture_bytes(&fixture));
    fixture_evaluate(&fixture, fixture.data.test);
    ck_assert_mem_eq(net_parameters(fixture.net), before, fixture_bytes(&fixture));
    free(before);
    fixture_free(&fixture);
}

TEST(evaluation_of_nothing_is_nan)
{
    Fixture fixture;
    fixture_create(&fixture, NULL);
    fixture.split.train_count = 0;
    Evaluation none = fixture_evaluate_training(&fixture, 8);
    ck_assert(isnan(none.accuracy) && isnan(none.loss));
    ck_assert_uint_eq(none.correct, 0);
    fixture_free(&fixture);
}

typedef struct Calls {
    int steps, epochs;
    volatile sig_atomic_t stop;
    int stop_at; /* step; 0: never */
    bool refuse;
} Calls;

static void
count_step(void *context, const Trainer *trainer, double loss)
{
    Calls *calls = context;
    ck_assert_uint_eq(trainer_steps_done(trainer), (uint64_t)++calls->steps);
    ck_assert(isfinite(loss));
    calls->stop = calls->steps == calls->stop_at;
}

static bool
count_epoch(void *context, const Trainer *trainer, Error *why)
{
    Calls *calls = context;
    ck_assert_uint_eq(trainer->position.epoch, (uint64_t)++calls->epochs);
    ck_assert(!isnan(trainer->history[calls->epochs - 1].validation));
    return calls->refuse ? error_set(why, "no more") : true;
}

TEST(watch_sees_every_step_and_epoch)
{
    Fixture fixture;
    fixture_create(&fixture, NULL);
    Calls calls = {0};
    const TrainWatch watch = {&calls, count_step, count_epoch, &calls.stop};
    ck_assert_int_eq(trainer_run(fixture.trainer, &watch, &error), TRAIN_DONE);
    ck_assert_int_eq(calls.steps, 32);
    ck_assert_int_eq(calls.epochs, 4);
    ck_assert_int_eq(trainer_run(fixture.trainer, &watch, &error), TRAIN_DONE); /* nothing is left to do */
    ck_assert_int_eq(calls.steps, 32);
    fixture_free(&fixture);
}

TEST(watch_can_stop_in_the_middle_of_an_epoch)
{
    TrainOptions options = fixture_options();
    Fixture whole, fixture;
    fixture_create(&whole, &options);
    fixture_create(&fixture, &options);
    Calls calls = {.stop_at = 11};
    const TrainWatch watch = {&calls, count_step, NULL, &calls.stop};
    ck_assert_int_eq(trainer_run(fixture.trainer, &watch, &error), TRAIN_STOPPED);
    ck_assert_uint_eq(fixture.trainer->position.epoch, 1);
    ck_assert_uint_eq(fixture.trainer->position.step, 3);
    fixture_run(&fixture); /* goes on where it stood */
    fixture_run(&whole);
    ck_assert_mem_eq(net_parameters(fixture.net), net_parameters(whole.net), fixture_bytes(&whole));
    fixture_free(&whole);
    fixture_free(&fixture);
}

TEST(watch_can_end_the_run_with_a_sentence)
{
    Fixture fixture;
    fixture_create(&fixture, NULL);
    Calls calls = {.refuse = true};
    const TrainWatch watch = {&calls, NULL, count_epoch, NULL};
    ck_assert_int_eq(trainer_run(fixture.trainer, &watch, &error), TRAIN_FAILED);
    ck_assert_str_eq(error.text, "no more");
    ck_assert_int_eq(calls.epochs, 1);
    fixture_free(&fixture);
}

TEST_MAIN("train_watch")
