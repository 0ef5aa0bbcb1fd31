/* Training from samples that stay in their files: the bits of training from memory, also after a break in the middle of an epoch.
 * SPDX-License-Identifier: MIT */
#include "nn/checkpoint.h"
#include "tests/data/idx_write.h"
#include "tests/nn/training_fixture.h"
#include <unistd.h>

/* The fixture's net on 97 samples of four features in files. */
static void
stream_fixture(Fixture *fixture, const char *pair, bool streamed, const TrainOptions *options)
{
    *fixture = (Fixture){0};
    ck_assert_ok((streamed ? dataset_open_streamed : dataset_open)(pair, &fixture->dataset, &error));
    ck_assert(dataset_split(&fixture->dataset, 0.2, 0.2, 1, &fixture->split, &error));
    Normalizer normalizer;
    ck_assert(normalizer_fit(&fixture->dataset, fixture->split.train, fixture->split.train_count, NORMALIZE_STANDARD,
                             &normalizer, &error));
    normalizer_apply(&normalizer, &fixture->dataset);
    normalizer_free(&normalizer);
    fixture->net = fixture_net("best", 13);
    fixture_trainer(fixture, options);
}

static void
steps(Fixture *fixture, int count)
{
    double loss;
    for (int i = 0; i < count; i++)
        ck_assert_ok(trainer_step(fixture->trainer, &loss, &error));
}

TEST(files_and_memory_train_the_same_bits)
{
    const char *pair = idx_write_pair("images", IDX_UBYTE, FIXTURE_SAMPLES, 2, 2);
    const TrainOptions options = fixture_options();
    Fixture memory, stream;
    stream_fixture(&memory, pair, false, &options);
    stream_fixture(&stream, pair, true, &options);
    fixture_run(&memory);
    fixture_run(&stream);
    ck_assert_mem_eq(net_parameters(memory.net), net_parameters(stream.net), fixture_bytes(&memory));
    for (int e = 0; e < 4; e++) {
        ck_assert(memory.trainer->history[e].loss == stream.trainer->history[e].loss);
        ck_assert(memory.trainer->history[e].validation == stream.trainer->history[e].validation);
    }
    const Evaluation a = fixture_evaluate(&memory, memory.data.test), b = fixture_evaluate(&stream, stream.data.test);
    ck_assert(a.correct == b.correct && a.loss == b.loss && a.count == 19 && a.accuracy > 0.8);
    fixture_free(&memory);
    fixture_free(&stream);
}

/* Broken off before every step of the second epoch, going on from files what was begun from memory and the other way round. */
TEST(a_break_in_an_epoch_changes_no_bit)
{
    const char *pair = idx_write_pair("images", IDX_UBYTE, FIXTURE_SAMPLES, 2, 2), *path = testing_path("half");
    TrainOptions options = fixture_options();
    options.epochs = 2;
    Fixture whole, first, second;
    Safetensors file;
    stream_fixture(&whole, pair, true, &options);
    fixture_run(&whole);
    for (int done = 8; done < 16; done++) {
        stream_fixture(&first, pair, done % 2, &options);
        steps(&first, done);
        Checkpoint checkpoint = {.path = path, .trainer = first.trainer};
        ck_assert_ok(checkpoint_save(&checkpoint, &error));
        fixture_free(&first);

        stream_fixture(&second, pair, done % 3, &options);
        checkpoint.trainer = second.trainer;
        ck_assert(checkpoint_open(path, &file, &error) && checkpoint_restore(&checkpoint, &file, &error));
        safetensors_free(&file);
        fixture_run(&second);
        ck_assert_mem_eq(net_parameters(whole.net), net_parameters(second.net), fixture_bytes(&whole));
        ck_assert(whole.trainer->history[1].loss == second.trainer->history[1].loss);
        fixture_free(&second);
    }
    fixture_free(&whole);
}

TEST(a_sample_that_cannot_be_read_ends_the_training)
{
    const char *pair = idx_write_pair("images", IDX_UBYTE, FIXTURE_SAMPLES, 2, 2);
    TrainOptions options = fixture_options();
    Fixture fixture;
    stream_fixture(&fixture, pair, true, &options);
    steps(&fixture, 3);
    ck_assert_int_eq(truncate(testing_path("images"), 20), 0);
    const char *words = "it has become shorter since it was opened";
    ck_assert_refused(trainer_run(fixture.trainer, NULL, &error) != TRAIN_FAILED, words);
    ck_assert_uint_eq(trainer_steps_done(fixture.trainer), 3);
    Evaluation result;
    ck_assert_refused(train_evaluate(fixture.net, fixture.data.test, NULL, &result, &error), words);
    ck_assert(isnan(result.loss));
    fixture_free(&fixture);
}

TEST_MAIN("train_stream")
