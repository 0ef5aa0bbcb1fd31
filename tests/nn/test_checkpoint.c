/* Checkpoints: a run that was saved and restored, anywhere, ends with the very bits of one that was not.
 * What is refused is in test_checkpoint_refusals.c.
 * SPDX-License-Identifier: MIT */
#include "nn/checkpoint.h"
#include "tests/nn/training_fixture.h"

static const Metadata settings[] = {{"hidden", "13"}, {"data", "clouds"}};

static Checkpoint
checkpoint_of(Fixture *fixture, const char *path)
{
    return (Checkpoint){.path = path, .trainer = fixture->trainer, .settings = settings, .setting_count = 2};
}

static void
save_or_fail(Fixture *fixture, const char *path)
{
    Checkpoint checkpoint = checkpoint_of(fixture, path);
    ck_assert_ok(checkpoint_save(&checkpoint, &error));
}

static void
restore_or_fail(Fixture *fixture, const char *path)
{
    Safetensors file;
    Checkpoint checkpoint = checkpoint_of(fixture, path);
    ck_assert_ok(checkpoint_open(path, &file, &error));
    ck_assert_ok(checkpoint_restore(&checkpoint, &file, &error));
    safetensors_free(&file);
}

static void
steps_or_fail(Fixture *fixture, uint64_t steps)
{
    double loss;
    for (uint64_t i = 0; i < steps; i++)
        ck_assert_ok(trainer_step(fixture->trainer, &loss, &error));
}

/* Trains with a break after `steps` steps: another process, in effect. The result goes to broken.safetensors. */
static const char *
train_with_break(const TrainOptions *options, uint64_t steps)
{
    char half[512], end[512];
    snprintf(half, sizeof(half), "%s", testing_path("half.safetensors"));
    snprintf(end, sizeof(end), "%s", testing_path("broken.safetensors"));
    Fixture first, second;
    fixture_create(&first, options);
    steps_or_fail(&first, steps);
    save_or_fail(&first, half);
    fixture_free(&first);

    fixture_create(&second, options);
    restore_or_fail(&second, half);
    ck_assert_uint_eq(trainer_steps_done(second.trainer), steps);
    fixture_run(&second);
    save_or_fail(&second, end);
    fixture_free(&second);
    return testing_path("broken.safetensors");
}

static void
train_whole(const TrainOptions *options, const char *path)
{
    Fixture fixture;
    fixture_create(&fixture, options);
    fixture_run(&fixture);
    save_or_fail(&fixture, path);
    fixture_free(&fixture);
}

/* Breaks after every `every` steps; 8 steps are one epoch. */
static void
expect_breaks_to_change_nothing(const TrainOptions *options, uint64_t stride)
{
    char whole[512];
    snprintf(whole, sizeof(whole), "%s", testing_path("whole.safetensors"));
    train_whole(options, whole);
    for (uint64_t steps = 0; steps <= 32; steps += stride)
        ck_assert(fixture_same_files(train_with_break(options, steps), whole));
}

TEST(break_after_every_epoch_with_adam)
{
    TrainOptions options = fixture_options();
    expect_breaks_to_change_nothing(&options, 8);
}

TEST(break_after_every_step_with_adam)
{
    TrainOptions options = fixture_options();
    expect_breaks_to_change_nothing(&options, 1);
}

TEST(break_after_every_epoch_with_every_optimizer)
{
    const OptimizerKind kinds[] = {OPTIMIZER_SGD, OPTIMIZER_MOMENTUM, OPTIMIZER_NESTEROV};
    for (int i = 0; i < 3; i++) {
        TrainOptions options = fixture_options();
        options.optimizer = kinds[i];
        expect_breaks_to_change_nothing(&options, 8);
    }
}

TEST(break_under_a_schedule)
{
    TrainOptions options = fixture_options();
    ck_assert(schedule_parse("warmup:5%+cosine:0.01", &options.schedule, &error));
    expect_breaks_to_change_nothing(&options, 5);
}

TEST(history_is_restored)
{
    TrainOptions options = fixture_options();
    Fixture a, b;
    fixture_create(&a, &options);
    steps_or_fail(&a, 16);
    a.trainer->history[1].validation = NAN; /* as without a validation part */
    save_or_fail(&a, testing_path("history.safetensors"));
    fixture_create(&b, &options);
    restore_or_fail(&b, testing_path("history.safetensors"));
    for (int e = 0; e < 2; e++) {
        ck_assert(b.trainer->history[e].loss == a.trainer->history[e].loss);
        ck_assert(b.trainer->history[e].rate == a.trainer->history[e].rate);
        ck_assert(isnan(b.trainer->history[e].seconds)); /* another process's */
    }
    ck_assert(b.trainer->history[0].validation == a.trainer->history[0].validation);
    ck_assert(isnan(b.trainer->history[1].validation));
    fixture_free(&a);
    fixture_free(&b);
}

TEST(more_epochs_continue_a_finished_run)
{
    TrainOptions options = fixture_options();
    char whole[512], part[512];
    snprintf(whole, sizeof(whole), "%s", testing_path("six.safetensors"));
    snprintf(part, sizeof(part), "%s", testing_path("four.safetensors"));
    train_whole(&options, part);
    options.epochs = 6;
    train_whole(&options, whole);

    Fixture fixture;
    fixture_create(&fixture, &options);
    restore_or_fail(&fixture, part);
    fixture_run(&fixture);
    save_or_fail(&fixture, part);
    fixture_free(&fixture);
    ck_assert(fixture_same_files(part, whole));
}

TEST(file_has_the_documented_names)
{
    Fixture fixture;
    fixture_create(&fixture, NULL);
    steps_or_fail(&fixture, 11);
    float mean[FIXTURE_FEATURES] = {1, 2, 3, 4}, scale[FIXTURE_FEATURES] = {5, 6, 7, 8};
    const Normalizer normalizer = {FIXTURE_FEATURES, mean, scale};
    Checkpoint checkpoint = checkpoint_of(&fixture, testing_path("names.safetensors"));
    checkpoint.normalizer = &normalizer;
    ck_assert(checkpoint_save(&checkpoint, &error));

    Safetensors file;
    ck_assert(safetensors_read(testing_path("names.safetensors"), &file, &error));
    ck_assert_uint_eq(file.tensor_count, 3 + 2 + 4 + 2 * 4); /* history, input, network, m and v of Adam */
    const char *names[] = {"history.loss", "input.mean", "optimizer.m.layers.0.weight", "optimizer.v.layers.2.bias",
                           "layers.0.weight"};
    for (int i = 0; i < 5; i++)
        ck_assert_msg(safetensors_find(&file, names[i]) != NULL, "no tensor %s", names[i]);
    ck_assert_uint_eq(safetensors_find(&file, "layers.0.weight")->shape[0], 13); /* [out][in], as in PyTorch */
    ck_assert_uint_eq(safetensors_find(&file, "layers.0.weight")->shape[1], FIXTURE_FEATURES);
    ck_assert_str_eq(safetensors_metadata(&file, "format"), "rungs checkpoint 1");
    ck_assert_str_eq(safetensors_metadata(&file, "epochs"), "4");
    ck_assert_str_eq(safetensors_metadata(&file, "epoch"), "1");
    ck_assert_str_eq(safetensors_metadata(&file, "step"), "3");
    ck_assert_str_eq(safetensors_metadata(&file, "hidden"), "13");
    float back[FIXTURE_FEATURES];
    ck_assert(tensor_copy(safetensors_find(&file, "input.scale"), TENSOR_F32, back, FIXTURE_FEATURES, &error));
    ck_assert_mem_eq(back, scale, sizeof(scale));
    ck_assert(checkpoint_restore(&checkpoint, &file, &error));
    safetensors_free(&file);
    fixture_free(&fixture);
}

TEST_MAIN("checkpoint")
