/* `rungs train mlp` called as a function: the files that it writes, read back by our own readers. test_train.sh tests the
 * program from outside.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "core/json.h"
#include "nn/checkpoint.h"
#include "nn/models/models.h"
#include "tests/testing.h"

/* Runs the command with these words; stdout and stderr go to files. Returns the exit status. */
static int
run(const char *words)
{
    static char copy[8192];
    char *argv[64] = {"mlp"};
    int argc = 1;
    snprintf(copy, sizeof(copy), "%s", words);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    ck_assert_ptr_nonnull(freopen(testing_path("stdout"), "w", stdout));
    ck_assert_ptr_nonnull(freopen(testing_path("stderr"), "w", stderr));
    int status = command_train(model_find("mlp"), argc, argv);
    fflush(stdout);
    return status;
}

static cJSON *
read_json(const char *path)
{
    cJSON *json = json_read(path, &error);
    ck_assert_ok(json);
    return json;
}

static double
number(const cJSON *json, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);
    ck_assert_msg(cJSON_IsNumber(item), "%s is no number", name);
    return item->valuedouble;
}

/* Trains iris with --json and these words; the caller deletes. */
static cJSON *
json_of(const char *words)
{
    char line[4096], path[512];
    snprintf(path, sizeof(path), "%s", testing_path("result.json"));
    snprintf(line, sizeof(line), "--data iris --json %s %s", path, words);
    ck_assert_int_eq(run(line), STATUS_DONE);
    return read_json(path);
}

TEST(json_says_what_was_done)
{
    cJSON *json = json_of("--epochs 5 --hidden 7,6 --validation 0.2 --seed 12 --lr 0.02 --drop-last");
    const cJSON *options = cJSON_GetObjectItemCaseSensitive(json, "options");
    ck_assert_str_eq(cJSON_GetObjectItemCaseSensitive(json, "command")->valuestring, "train mlp");
    ck_assert(number(json, "seed") == 12);
    ck_assert(number(options, "lr") == 0.02);
    ck_assert(number(options, "epochs") == 5);
    ck_assert_str_eq(cJSON_GetObjectItemCaseSensitive(options, "hidden")->valuestring, "7,6");
    ck_assert(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(options, "drop-last")));
    ck_assert(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(options, "save")));
    ck_assert(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "finished")));
    ck_assert(number(json, "parameters") == 4 * 7 + 7 + 7 * 6 + 6 + 6 * 3 + 3);
    ck_assert(number(json, "train_samples") == 90 && number(json, "validation_samples") == 30);
    ck_assert(number(json, "test_samples") == 30);
    const cJSON *machine = cJSON_GetObjectItemCaseSensitive(json, "machine");
    ck_assert(cJSON_IsString(cJSON_GetObjectItemCaseSensitive(machine, "processor")));
    cJSON_Delete(json);
}

TEST(json_has_the_results)
{
    cJSON *json = json_of("--epochs 5 --validation 0.2");
    const char *columns[] = {"loss", "validation_accuracy", "rate"};
    for (int c = 0; c < 3; c++) {
        const cJSON *column = cJSON_GetObjectItemCaseSensitive(json, columns[c]), *item;
        ck_assert_int_eq(cJSON_GetArraySize(column), 5);
        cJSON_ArrayForEach(item, column)
        {
            ck_assert(cJSON_IsNumber(item) && item->valuedouble > 0);
        }
    }
    double accuracy = number(json, "test_accuracy"), correct = accuracy * 30;
    ck_assert(fabs(correct - round(correct)) < 1e-9 && accuracy > 0 && accuracy <= 1);
    ck_assert(number(json, "samples_per_second") > 0);
    ck_assert(number(json, "test_loss") > 0);
    cJSON_Delete(json);
}

TEST(json_without_parts_has_null)
{
    cJSON *json = json_of("--epochs 2 --test 0");
    const cJSON *column = cJSON_GetObjectItemCaseSensitive(json, "validation_accuracy");
    ck_assert(cJSON_IsNull(cJSON_GetArrayItem(column, 1)));
    ck_assert(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(json, "test_accuracy")));
    cJSON_Delete(json);
}

TEST(json_of_a_resumed_run_has_all_epochs)
{
    char line[4096], path[512];
    snprintf(path, sizeof(path), "%s", testing_path("saved.safetensors"));
    snprintf(line, sizeof(line), "--data iris --epochs 2 --save %s", path);
    ck_assert_int_eq(run(line), STATUS_DONE);
    cJSON *whole = json_of("--epochs 5");
    snprintf(line, sizeof(line), "--epochs 5 --resume %s", path);
    cJSON *resumed = json_of(line);
    ck_assert(cJSON_Compare(cJSON_GetObjectItemCaseSensitive(whole, "loss"),
                            cJSON_GetObjectItemCaseSensitive(resumed, "loss"), true));
    ck_assert(number(whole, "test_accuracy") == number(resumed, "test_accuracy"));
    ck_assert(number(whole, "test_loss") == number(resumed, "test_loss"));
    cJSON_Delete(whole);
    cJSON_Delete(resumed);
}

TEST(trace_has_the_parts_of_a_step)
{
    char line[4096], path[512];
    snprintf(path, sizeof(path), "%s", testing_path("trace.json"));
    snprintf(line, sizeof(line), "--data iris --epochs 2 --validation 0.2 --save %s --trace %s", testing_path("s"),
             path);
    ck_assert_int_eq(run(line), STATUS_DONE);
    cJSON *json = read_json(path);
    const cJSON *events = cJSON_GetObjectItemCaseSensitive(json, "traceEvents"), *event;
    const char *names[] = {"load", "forward", "backward", "update", "validate", "save", "test"};
    int count[7] = {0};
    cJSON_ArrayForEach(event, events)
    {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(event, "name");
        for (int i = 0; i < 7; i++)
            count[i] += strcmp(name->valuestring, names[i]) == 0;
    }
    const int want[7] = {24, 24, 24, 24, 2, 2, 1}; /* 2 epochs of 12 steps */
    for (int i = 0; i < 7; i++)
        ck_assert_msg(count[i] == want[i], "%d spans \"%s\", expected %d", count[i], names[i], want[i]);
    cJSON_Delete(json);
}

TEST(checkpoint_describes_the_run)
{
    char line[4096], path[512];
    Safetensors file;
    snprintf(path, sizeof(path), "%s", testing_path("described.safetensors"));
    snprintf(line, sizeof(line), "--data iris --epochs 2 --hidden 5 --lr 0.1 --optimizer momentum --save %s", path);
    ck_assert_int_eq(run(line), STATUS_DONE);
    ck_assert_ok(checkpoint_open(path, &file, &error));
    const char *const entries[][2] = {{"data", "iris"},      {"hidden", "5"},     {"activation", "relu"},
                                      {"lr", "0.1"},         {"epochs", "2"},     {"epoch", "2"},
                                      {"step", "0"},         {"seed", "1"},       {"batch", "8"},
                                      {"drop-last", "no"},   {"test", "0.2"},     {"schedule", "constant"},
                                      {"weight-decay", "0"}, {"momentum", "0.9"}, {"normalize", "standard"}};
    for (size_t i = 0; i < COUNT(entries); i++) {
        const char *value = safetensors_metadata(&file, entries[i][0]);
        ck_assert_msg(value != NULL, "no entry %s", entries[i][0]);
        ck_assert_str_eq(value, entries[i][1]);
    }
    ck_assert_uint_eq(safetensors_find(&file, "optimizer.velocity.layers.0.weight")->shape[1], 4);
    ck_assert_uint_eq(safetensors_find(&file, "input.mean")->count, 4);
    safetensors_free(&file);
}

TEST(refusals_leave_no_files)
{
    char line[8192], paths[4][512];
    for (int i = 0; i < 4; i++)
        snprintf(paths[i], sizeof(paths[i]), "%s%d", testing_path("no"), i);
    snprintf(line, sizeof(line), "--data iris --batch 1000 --json %s --csv %s --trace %s --save %s", paths[0], paths[1],
             paths[2], paths[3]);
    ck_assert_int_eq(run(line), STATUS_USAGE);
    for (int i = 0; i < 4; i++)
        ck_assert_ptr_null(fopen(paths[i], "rb"));
}

TEST(help_is_no_error)
{
    ck_assert_int_eq(run("--help"), STATUS_DONE);
    ck_assert_int_eq(run("--epochs 3 --lr x"), STATUS_USAGE);
    ck_assert_int_eq(run("--data nowhere.csv"), STATUS_FAILED);
}

TEST_MAIN("train_mlp")
