/* `rungs train`: checkpoints, and the training with its checkpoints and Ctrl-C.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/file_options.h"
#include "cli/train_network.h"
#include "core/array.h"
#include "core/clock.h"
#include "nn/weights.h"
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- checkpoints ---- */

static const char CHECKSUM[] = "checksum of the data";

/* Settings that came later, and flags of strategies, are left out where they are the default, so that files of before are the
 * same. */
static bool
is_saved(const TrainRun *run, int i)
{
    static const char *const plain[] = {"1", "fp32", "no"};
    const Option *option = &run->table[i];
    if (i < TRAIN_SETTINGS ? !train_has_option(run->kind, option) : !train_decides(run, option))
        return false;
    if (i < TRAIN_ALWAYS_SAVED || (i >= TRAIN_SETTINGS && option->kind != OPTION_FLAG))
        return true;
    char text[TRAIN_TEXT_SIZE];
    const char *value = train_option_text(option, text);
    bool is_default = false;
    for (size_t k = 0; k < sizeof(plain) / sizeof(plain[0]); k++)
        is_default |= strcmp(value, plain[k]) == 0;
    return !is_default || (run->resumed.header && safetensors_metadata(&run->resumed, option->name) != NULL);
}

/* The data set is the first setting. */
static void
describe_run(TrainRun *run)
{
    size_t count = 0;
    for (int i = 0; i < TRAIN_SETTINGS; i++)
        if (is_saved(run, i))
            run->settings[count++] = (Metadata){run->table[i].name, train_option_text(&run->table[i], run->texts[i])};
    for (int i = TRAIN_OWN_OPTIONS; run->table[i].name != NULL; i++)
        if (is_saved(run, i))
            run->settings[count++] = (Metadata){run->table[i].name, train_option_text(&run->table[i], run->texts[i])};
    dataset_full_name(run->options.data, run->texts[0]);
    if (run->kind->build)
        run->settings[count++] = (Metadata){"model", run->kind->name};
    run->settings[count++] = (Metadata){CHECKSUM, run->checksum};
    run->checkpoint = (Checkpoint){.path = run->options.save,
                                   .trainer = run->trainer,
                                   .normalizer = &run->normalizer,
                                   .settings = run->settings,
                                   .setting_count = count};
}

/* The same data under another name are the same: only where the checksums differ do the names tell anything. */
static bool
resume(TrainRun *run, Error *error)
{
    if (!run->resumed.header)
        return true;
    Checkpoint source = run->checkpoint;
    const char *checksum = safetensors_metadata(&run->resumed, CHECKSUM);
    source.path = run->options.resume;
    if (checksum && strcmp(checksum, run->checksum) == 0) {
        source.settings++;
        source.setting_count--;
    }
    if (!checkpoint_restore(&source, &run->resumed, error))
        return false;
    run->first_step = trainer_steps_done(run->trainer);
    return true;
}

/* --save and --resume may be one file; any other that serves two purposes would be lost. */
static bool
check_files(const TrainRun *run, int *status, Error *error)
{
    const TrainArguments *o = &run->options;
    if (run->rank != 0)
        return true; /* rank 0 alone writes */
    char data[2][DATA_PATH_MAX];
    const int count = dataset_files(o->data, data);
    const FileOption files[] = {{"save", o->save},
                                {"data", count > 0 ? data[0] : NULL, true},
                                {"data", count > 1 ? data[1] : NULL, true},
                                {"csv", o->csv},
                                {"json", o->json},
                                {"trace", o->trace},
                                {"load", o->load, true},
                                {"resume", o->resume, true}};
    enum { BUT_ONE = sizeof(files) / sizeof(files[0]) - 1 };
    *status = STATUS_USAGE;
    if (!file_options_differ(files + 1, BUT_ONE, error) || !file_options_differ(files, BUT_ONE, error))
        return false;
    *status = STATUS_FAILED;
    return file_options_writable(files, BUT_ONE, error);
}

bool
train_open(TrainRun *run, int *status, Error *error)
{
    const TrainArguments *o = &run->options;
    if (!check_files(run, status, error))
        return false;
    if (!train_open_data(run, status, error) || !train_build_trainer(run, status, error))
        return false;
    describe_run(run);
    if (o->load && o->resume && run->resumed.header)
        return error_set(error, "--load and --resume both say what to begin with: give one of them");
    *status = STATUS_FAILED;
    if (o->load && !weights_load(run->net, o->load, error))
        return false;
    return resume(run, error);
}

bool
train_begin(TrainRun *run, int *status, Error *error)
{
    *status = STATUS_FAILED;
    train_meet(run);
    if (!train_all_good(run, train_same_as_rank_0(run, error), status, error))
        return false;
    run->trainer->trace = run->trace = train_trace_create(run, error);
    return train_all_good(run, run->trace != NULL, status, error) && train_join(run, status, error);
}

void
train_close(TrainRun *run)
{
    Error ignored;
    if (run->trace)
        trace_close(run->trace, &ignored);
    train_part(run);
    trainer_free(run->trainer);
    train_data_free(&run->data);
    net_free(run->net);
    normalizer_free(&run->normalizer);
    split_free(&run->split);
    dataset_free(&run->dataset);
    safetensors_free(&run->resumed);
}

/* ---- the training ---- */

/* Global, because a signal handler is given nothing else. 0: no signal has come. */
static volatile sig_atomic_t stop_signal;

static void
on_signal(int signal_number)
{
    stop_signal = signal_number;
}

/* SA_RESETHAND: a second Ctrl-C ends the program at once. */
static void
catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static void
after_step(void *context, const Trainer *trainer, double loss)
{
    TrainRun *run = context;
    uint64_t steps = trainer_steps_done(trainer), epoch = (steps - 1) / trainer->steps_per_epoch + 1;
    char text[32];
    snprintf(run->note, sizeof(run->note), "epoch %" PRIu64 "/%d  loss %s", epoch, trainer->options.epochs,
             train_loss_text(text, loss));
    progress_update(&run->progress, trainer->samples, run->note);
}

static bool
save(const TrainRun *run, Error *error)
{
    double start = clock_now();
    bool good = checkpoint_save(&run->checkpoint, error);
    trace_span(run->trace, "save", "train", run->rank, 0, start, clock_now());
    return good;
}

static bool
after_epoch(void *context, const Trainer *trainer, Error *error)
{
    TrainRun *run = context;
    uint64_t done = trainer->position.epoch;
    if (run->epoch_lines)
        train_print_epoch(run);
    bool due = done % (uint64_t)run->options.save_every == 0 || done == (uint64_t)trainer->options.epochs;
    if (!run->options.save || !due)
        return true;
    const bool good = save(run, error);
    run->ended_together = !good;
    return good;
}

/* After Ctrl-C or SIGTERM, which one rank alone may have got: the exit status says which, as shells do. */
static int
stopped(TrainRun *run, Error *error)
{
    const int signal_number = train_largest(run, (int)stop_signal);
    const bool saved = run->options.save && save(run, error);
    if (run->rank != 0)
        return STATUS_FAILED;
    const TrainPosition *at = &run->trainer->position;
    fprintf(stderr, "stopped after %" PRIu64 " epochs and %" PRIu64 " steps", at->epoch, at->step);
    if (!run->options.save) {
        fprintf(stderr, "; nothing is saved (--save FILE would have done it)\n");
    } else if (saved) {
        fprintf(stderr, "; go on with: %s --resume %s\n", run->kind->command, run->options.save);
    } else {
        fprintf(stderr, "\n");
        return STATUS_FAILED;
    }
    return train_write_files(run, NULL, error) ? 128 + signal_number : STATUS_FAILED;
}

static int
finished(TrainRun *run, Error *error)
{
    double start = clock_now();
    Evaluation test;
    if (!train_evaluate(run->net, run->data.test, run->trainer->group, &test, error))
        return STATUS_FAILED;
    trace_span(run->trace, "test", "train", run->rank, 0, start, clock_now());
    if (run->rank != 0)
        return STATUS_DONE;
    bool written = train_write_files(run, &test, error);
    train_print_result(run, test); /* hours of training are not lost with a file */
    return written ? STATUS_DONE : STATUS_FAILED;
}

size_t
train_samples_per_epoch(const Trainer *trainer)
{
    return trainer->options.drop_last ? trainer->steps_per_epoch * (size_t)trainer->options.batch
                                      : trainer->training->samples;
}

/* The samples that the remaining steps will visit. */
static size_t
samples_left(const Trainer *trainer)
{
    return ((size_t)trainer->options.epochs - trainer->position.epoch) * train_samples_per_epoch(trainer) -
           trainer->position.seen;
}

/* Rank 0 alone speaks, and its status is that of all. */
int
train_run(TrainRun *run, Error *error)
{
    const bool speaks = run->rank == 0;
    if (speaks)
        train_print_plan(run);
    const TrainWatch watch = {.context = run, .step = after_step, .epoch = after_epoch, .stop = &stop_signal};
    size_t left = samples_left(run->trainer);
    run->progress = progress_start("train", left, "samples");
    run->epoch_lines = speaks && !(run->progress.terminal && run->progress.out && isatty(STDOUT_FILENO));
    catch_signals();
    TrainEnd end = trainer_run(run->trainer, &watch, error);
    if (end == TRAIN_FAILED)
        train_failed_step(run, error);
    if (left > 0)
        progress_finish(&run->progress, run->note);
    if (end == TRAIN_DONE)
        train_report_parallel(run);
    int status = end == TRAIN_DONE ? finished(run, error) : end == TRAIN_STOPPED ? stopped(run, error) : STATUS_FAILED;
    status = train_from_rank_0(run, status);
    Error trace_error;
    bool traced = train_trace_close(run, &trace_error);
    if (!traced && status != STATUS_FAILED)
        *error = trace_error;
    return train_from_rank_0(run, traced ? status : STATUS_FAILED);
}
