/* Checkpoints: files and runs that do not belong together.
 * SPDX-License-Identifier: MIT */
#include "nn/checkpoint.h"
#include "tests/nn/training_fixture.h"
#include <signal.h>
#include <sys/resource.h>

static const Metadata settings[] = {{"hidden", "13"}, {"lr", "0.01"}};

/* Saves a run that has done 11 steps of 4 epochs of 8. Returns the path. */
static const char *
save(const TrainOptions *options)
{
    Fixture fixture;
    fixture_create(&fixture, options);
    double loss;
    for (int i = 0; i < 11; i++)
        ck_assert(trainer_step(fixture.trainer, &loss, &error));
    const char *path = testing_path("saved.safetensors");
    const Checkpoint checkpoint = {.path = path, .trainer = fixture.trainer, .settings = settings, .setting_count = 2};
    ck_assert_ok(checkpoint_save(&checkpoint, &error));
    fixture_free(&fixture);
    return testing_path("saved.safetensors");
}

/* Restores into a run of these options and this hidden layer. */
static void
expect_refusal(const char *path, const TrainOptions *options, int hidden, const Metadata *metadata, const char *part)
{
    Fixture fixture = {0};
    Safetensors file;
    fixture_data(&fixture);
    fixture.net = fixture_net("best", hidden);
    fixture_trainer(&fixture, options);
    const Checkpoint checkpoint = {.path = path, .trainer = fixture.trainer, .settings = metadata, .setting_count = 2};
    ck_assert_refused(checkpoint_open(path, &file, &error) && checkpoint_restore(&checkpoint, &file, &error), part);
    ck_assert_msg(strncmp(error.text, path, strlen(path)) == 0, "\"%s\" does not name the file", error.text);
    safetensors_free(&file);
    fixture_free(&fixture);
}

TEST(other_settings_are_all_named)
{
    TrainOptions options = fixture_options();
    const Metadata others[] = {{"hidden", "14"}, {"lr", "0.5"}};
    expect_refusal(save(&options), &options, 13, others,
                   "was made with hidden 13, lr 0.01, but this run has hidden 14, lr 0.5");
}

TEST(the_end_of_a_long_setting_is_shown)
{
    char value[301];
    TrainOptions options = fixture_options();
    memset(value, 'x', sizeof(value) - 1);
    strcpy(value + sizeof(value) - 8, "own.csv");
    const Metadata others[] = {{"hidden", value}, {"lr", "0.5"}};
    expect_refusal(save(&options), &options, 13, others, "but this run has hidden ..xxx");
    expect_refusal(save(&options), &options, 13, others, "xxxown.csv, lr 0.5");
}

TEST(settings_that_the_file_does_not_have)
{
    TrainOptions options = fixture_options();
    const Metadata others[] = {{"hidden", "13"}, {"depth", "3"}};
    expect_refusal(save(&options), &options, 13, others, "was made with depth (none), but this run has depth 3");
}

TEST(another_network)
{
    TrainOptions options = fixture_options();
    expect_refusal(save(&options), &options, 14, settings, "tensor \"layers.0.weight\" has another shape or type");
}

TEST(another_optimizer)
{
    TrainOptions options = fixture_options(), other = options;
    other.optimizer = OPTIMIZER_MOMENTUM;
    expect_refusal(save(&options), &other, 13, settings, "has no tensor \"optimizer.velocity.layers.0.weight\"");
    other.optimizer = OPTIMIZER_SGD;
    expect_refusal(save(&options), &other, 13, settings, "holds 15 tensors, but this run has 7");
}

TEST(fewer_epochs_than_are_done)
{
    TrainOptions options = fixture_options(), other = options;
    other.epochs = 1;
    expect_refusal(save(&options), &other, 13, settings, "has done 2 epochs, which is more than the 1 of this run");
}

TEST(other_epochs_under_a_schedule_that_depends_on_them)
{
    TrainOptions options = fixture_options(), other;
    ck_assert(schedule_parse("cosine", &options.schedule, &error));
    other = options;
    other.epochs = 5;
    expect_refusal(save(&options), &other, 13, settings, "its schedule of the rate depends on that number");
}

TEST(other_batches_leave_other_steps)
{
    TrainOptions options = fixture_options(), other = options;
    other.batch = 30; /* an epoch has 2 steps, the file stands before step 3 */
    expect_refusal(save(&options), &other, 13, settings, "stands before step 3 of an epoch of 2 steps");
}

/* Reads the file, and writes as many bytes of it, one text replaced by another of its length. */
static const char *
damage(const char *path, const char *from, const char *to, size_t cut)
{
    static unsigned char bytes[100000];
    FILE *stream = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof(bytes), stream);
    fclose(stream);
    ck_assert_uint_eq(strlen(from), strlen(to));
    unsigned char *place = memmem(bytes, size, from, strlen(from));
    ck_assert_ptr_nonnull(place);
    memcpy(place, to, strlen(to));
    testing_write("damaged.safetensors", bytes, size - cut);
    return testing_path("damaged.safetensors");
}

TEST(damaged_metadata)
{
    TrainOptions options = fixture_options();
    const struct {
        const char *from, *to, *part;
    } cases[] = {
        {"\"epoch\":\"1\"", "\"epoch\":\"x\"", "entry \"epoch\" is \"x\", expected an integer"},
        {"\"epoch\":\"1\"", "\"epoch\":\"9\"", "has done 10 epochs"},
        {"\"epoch\":\"1\"", "\"epoch\":\"4\"", "has done 5 epochs"},
        {"\"epoch\":\"1\"", "\"epocj\":\"1\"", "entry \"epoch\" is \"\""},
        {"\"epochs\":\"4\"", "\"epochs\":\"0\"", "entry \"epochs\" is 0: it is damaged"},
        {"\"step\":\"3\"", "\"step\":\"8\"", "stands before step 8 of an epoch of 8 steps"},
        {"\"step\":\"3\"", "\"step\":\"-\"", "expected an integer"},
        {"\"loss_sum\":\"", "\"loss_sun\":\"", "entry \"loss_sum\" is \"\", expected a number"},
        {"rungs checkpoint 1", "rungs checkpoint 2", "its format is \"rungs checkpoint 2\""},
        {"\"format\":", "\"tamrof\":", "is a safetensors file but not a checkpoint"},
        {"\"history.loss\":{", "\"history.lost\":{", "tensor \"history.lost\" has no checksum, but others have"},
        {"crc32.history.loss", "crc32.history.lost", "tensor \"history.loss\" has no checksum, but others have"},
        {"\"epoch\":\"1\"", "\"epoch\":\"0\"", "tensor \"history.loss\" has another shape"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_refusal(damage(save(&options), cases[i].from, cases[i].to, 0), &options, 13, settings, cases[i].part);
}

TEST(cut_files)
{
    TrainOptions options = fixture_options();
    for (size_t cut = 1; cut < 2500; cut += 97)
        expect_refusal(damage(save(&options), "", "", cut), &options, 13, settings, "it was cut off or is damaged");
}

TEST(missing_and_foreign_files)
{
    TrainOptions options = fixture_options();
    expect_refusal("/nonexistent.safetensors", &options, 13, settings, "cannot be opened");
    expect_refusal(RUNGS_ROOT "/tests/golden/torch.safetensors", &options, 13, settings,
                   "is a safetensors file but not a checkpoint: its format is \"pt\"");
    expect_refusal(RUNGS_ROOT "/Makefile", &options, 13, settings, "this is no safetensors file");
}

/* A limit on the size of files stands for a full disk. */
TEST(full_disk_keeps_the_old_checkpoint)
{
    TrainOptions options = fixture_options();
    const char *path = save(&options);
    Fixture fixture;
    fixture_create(&fixture, &options);
    const Checkpoint checkpoint = {.path = path, .trainer = fixture.trainer, .settings = settings, .setting_count = 2};
    struct rlimit before, limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 1024;
    signal(SIGXFSZ, SIG_IGN);
    bool limited = setrlimit(RLIMIT_FSIZE, &limit) == 0; /* no assertion under the limit: Check writes files too */
    bool saved = checkpoint_save(&checkpoint, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    ck_assert(limited && !saved);
    ck_assert_msg(strstr(error.text, "saved.safetensors") != NULL, "%s", error.text);
    Safetensors file;
    ck_assert(checkpoint_open(path, &file, &error) && checkpoint_restore(&checkpoint, &file, &error));
    ck_assert_uint_eq(trainer_steps_done(fixture.trainer), 11);
    safetensors_free(&file);
    fixture_free(&fixture);
}

TEST_MAIN("checkpoint_refusals")
