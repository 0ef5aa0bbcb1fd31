/* `rungs train`: what it prints, and its CSV and JSON files.
 * SPDX-License-Identifier: MIT */
#include "cli/train.h"
#include "core/array.h"
#include "core/csv.h"
#include "core/host.h"
#include "core/json.h"
#include "core/units.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- on stdout ---- */

static void
print_data(const TrainRun *run)
{
    const Dataset *data = &run->dataset;
    const Split *split = &run->split;
    printf("data      %s: %zu samples of %d x %d x %d, %d classes\n", data->name, data->count, data->height,
           data->width, data->channels, data->classes);
    printf("          %zu to train, %zu to validate, %zu to test; normalize %s; %s\n", split->train_count,
           split->validation_count, split->test_count, run->options.normalize, run->data.training->kind->name);
}

/* Where the run is not what its options say, or not the default. */
static void
print_notes(const TrainRun *run)
{
    const TrainArguments *o = &run->options;
    const int cores = host_get()->cores;
    if (run->wanted_batch > o->batch)
        printf("note      the default batch of %d is more than the %d samples to train, so a batch is all of them\n",
               run->wanted_batch, o->batch);
    if (o->threads > 1 && !host_get()->openmp)
        printf("note      --threads %d is 1 here: this build has no OpenMP\n", o->threads);
    else if (o->threads > cores)
        printf("note      %d threads share %d core%s and wait for each other: fewer are faster\n", o->threads, cores,
               cores == 1 ? "" : "s");
}

size_t
train_samples_per_epoch(const Trainer *trainer)
{
    return trainer->options.drop_last ? trainer->steps_per_epoch * (size_t)trainer->options.batch
                                      : trainer->training->samples;
}

void
train_print_plan(const TrainRun *run)
{
    const TrainArguments *o = &run->options;
    const Trainer *trainer = run->trainer;
    char memory[UNITS_SIZE];
    print_data(run);
    net_print(run->net);
    if (trainer->run)
        printf("memory    %s for %d samples in flight: activations and what goes back\n",
               units_bytes(memory, (double)run_memory(trainer->run)), run_max_batch(trainer->run));
    printf("training  %d epochs of %" PRIu64 " step%s of %d samples; %s, rate %g, schedule %s", o->epochs,
           trainer->steps_per_epoch, trainer->steps_per_epoch == 1 ? "" : "s", o->batch, o->optimizer, o->rate,
           o->schedule);
    if (strcmp(o->optimizer, "momentum") == 0 || strcmp(o->optimizer, "nesterov") == 0)
        printf(", momentum %g", o->momentum);
    if (o->weight_decay > 0)
        printf(", weight decay %g", o->weight_decay);
    printf("; seed %" PRIu64 "\n", o->seed);
    if (run->gpu)
        printf("machine   %s\n", run->gpu->about);
    else
        printf("machine   %s, %d thread%s%s, kernels %s\n", host_get()->processor, host_threads(),
               host_threads() == 1 ? "" : "s", run->ranks.count > 1 ? " on each rank" : "", o->kernels);
    train_print_parallel(run);
    print_notes(run);
    if (run->resumed.header)
        printf("resumed   from %s after %" PRIu64 " epochs and %" PRIu64 " steps\n", o->resume, trainer->position.epoch,
               trainer->position.step);
    fflush(stdout);
}

const char *
train_loss_text(char text[32], double loss)
{
    snprintf(text, 32, fabs(loss) < 1e6 ? "%.4f" : "%.3g", loss);
    return text;
}

void
train_print_epoch(const TrainRun *run)
{
    char loss[32];
    uint64_t done = run->trainer->position.epoch;
    const TrainEpoch *epoch = &run->trainer->history[done - 1];
    printf("epoch %3" PRIu64 "/%d  loss %s", done, run->trainer->options.epochs, train_loss_text(loss, epoch->loss));
    if (!isnan(epoch->validation))
        printf("  validation %.4f", epoch->validation);
    printf("  rate %.4g", epoch->rate);
    if (!isnan(epoch->seconds))
        printf("  %.3f s", epoch->seconds);
    printf("\n");
    fflush(stdout);
}

/* Samples per second of the training steps, of all ranks together; NaN if this process did none. */
static double
speed(const Trainer *trainer)
{
    return trainer->seconds > 0 ? (double)trainer->samples / trainer->seconds : NAN;
}

/* A network that only guesses gives each of K classes the probability 1 / K, whose loss is ln K. */
static void
print_hint(const TrainRun *run, double loss)
{
    double guessing = log(run->dataset.classes);
    if (loss > guessing)
        printf("hint      guessing has a loss of %.4f: try a smaller --lr, or more --epochs if the loss still falls\n",
               guessing);
}

void
train_print_result(const TrainRun *run, Evaluation test)
{
    const Trainer *trainer = run->trainer;
    const TrainEpoch *last = &trainer->history[trainer->options.epochs - 1];
    char duration[UNITS_SIZE], rate[UNITS_SIZE], loss[32];
    if (trainer->samples > 0)
        printf("trained   %" PRIu64 " steps in %s, %s%s\n", trainer_steps_done(trainer) - run->first_step,
               units_duration(duration, trainer->seconds), units_format(rate, speed(trainer), "samples/s"),
               run->gpu && run->gpu->properties.emulated ? " (emulator: results right, times meaningless)" : "");
    printf("loss      %s in the last epoch\n", train_loss_text(loss, last->loss));
    print_hint(run, last->loss);
    if (run->options.save)
        printf("saved     %s\n", run->options.save);
    if (run->split.validation_count > 0)
        printf("validation accuracy %.4f\n", last->validation);
    if (test.count > 0)
        printf("test accuracy %.4f (%zu/%zu)\n", test.accuracy, test.correct, test.count);
    else
        printf("test accuracy unknown (no test samples)\n");
}

/* ---- files ---- */

/* "" where there is none. */
static const char *
overlap_of(const TrainRun *run)
{
    const StrategyValues *own = &run->options.own;
    return strategy_uses(run->strategy, own, "overlap") ? own->data.overlap : "";
}

static bool
write_csv(const TrainRun *run, Error *error)
{
    if (!run->options.csv)
        return true;
    Csv *csv = csv_create(
        run->options.csv,
        "epoch,loss,validation_accuracy,rate,seconds,ranks,parallel,overlap,collectives,samples_per_second", error);
    if (!csv)
        return false;
    for (uint64_t e = 0; e < run->trainer->position.epoch; e++) {
        const TrainEpoch *epoch = &run->trainer->history[e];
        csv_add(csv, "%d %g %g %g %g %d %s %s %s %g\n", (int)e + 1, epoch->loss, epoch->validation, epoch->rate,
                epoch->seconds, run->ranks.count, run->options.parallel, overlap_of(run),
                run->ranks.comm ? run->options.collectives : "",
                (double)train_samples_per_epoch(run->trainer) / epoch->seconds);
    }
    return csv_close(csv, error);
}

/* Options by name; numbers as numbers. */
static cJSON *
options_json(const TrainRun *run)
{
    cJSON *json = cJSON_CreateObject();
    for (const Option *option = run->table; option->name != NULL; option++) {
        char text[TRAIN_TEXT_SIZE];
        if (option->kind == OPTION_FLAG)
            cJSON_AddBoolToObject(json, option->name, *(bool *)option->value);
        else if (option->kind == OPTION_INT)
            cJSON_AddNumberToObject(json, option->name, *(int *)option->value);
        else if (option->kind == OPTION_DOUBLE)
            cJSON_AddNumberToObject(json, option->name, *(double *)option->value);
        else if (option->kind == OPTION_STRING && *(const char **)option->value == NULL)
            cJSON_AddNullToObject(json, option->name);
        else
            cJSON_AddStringToObject(json, option->name, option_text(option, text, sizeof(text)));
    }
    return json;
}

/* One column of the history. */
static cJSON *
column_json(const Trainer *trainer, size_t offset)
{
    size_t count = trainer->position.epoch;
    double *x = ARRAY(double, count);
    for (size_t e = 0; e < count; e++)
        memcpy(&x[e], (const char *)&trainer->history[e] + offset, sizeof(double));
    cJSON *json = json_doubles(x, count);
    array_free(x);
    return json;
}

static bool
write_json(const TrainRun *run, const Evaluation *test, Error *error)
{
    if (!run->options.json)
        return true;
    const Trainer *trainer = run->trainer;
    cJSON *json = cJSON_CreateObject();
    json_add(json, "command %s", run->command + strlen("rungs "));
    cJSON_AddItemToObject(json, "machine", json_host());
    if (run->gpu)
        json_add(json, "device %s", run->gpu->about);
    cJSON_AddItemToObject(json, "options", options_json(run));
    json_add(json, "seed %" PRIu64 ", parameters %zu, train_samples %zu, validation_samples %zu, test_samples %zu",
             run->options.seed, net_whole_parameter_count(run->net), run->split.train_count,
             run->split.validation_count, run->split.test_count);
    cJSON_AddBoolToObject(json, "finished", test != NULL);
    cJSON_AddItemToObject(json, "loss", column_json(trainer, offsetof(TrainEpoch, loss)));
    cJSON_AddItemToObject(json, "validation_accuracy", column_json(trainer, offsetof(TrainEpoch, validation)));
    cJSON_AddItemToObject(json, "rate", column_json(trainer, offsetof(TrainEpoch, rate)));
    json_add(json, "test_accuracy %g, test_loss %g, ranks %d, workers %d, parallel %s, overlap %s, collectives %s",
             test ? test->accuracy : NAN, test ? test->loss : NAN, run->ranks.count, train_workers(run),
             run->options.parallel, overlap_of(run), run->ranks.comm ? run->options.collectives : "");
    json_add(json, "samples_per_second %g, seconds %g", speed(trainer), trainer->seconds);
    bool good = json_write(run->options.json, json, error);
    cJSON_Delete(json);
    return good;
}

bool
train_write_files(TrainRun *run, const Evaluation *test)
{
    /* Each is worth having without the other. */
    bool csv = write_csv(run, &run->error), json = write_json(run, test, &run->error);
    return csv && json;
}
