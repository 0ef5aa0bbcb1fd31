/* `rungs train NETWORK`: from the options to the exit status, with checkpoints and Ctrl-C on the way. The last function is where to
 * begin. SPDX-License-Identifier: MIT */
#include "cli/train.h"
#include "cli/cli.h"
#include "core/array.h"
#include "core/clock.h"
#include "nn/weights.h"
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- checkpoints ----------------------------------------------------------------------------------------------------------- */

static const char CHECKSUM[] = "checksum of the data";

static bool
is_saved(const TrainRun *run, int i)
{
    const Option *option = &run->table[i];
    char text[TRAIN_TEXT_SIZE];
    if (run->role[i] == ROLE_FREE || run->role[i] == ROLE_EPOCHS ||
        (run->role[i] == ROLE_RANKS && !train_decides(run, option)))
        return false;
    if (run->role[i] == ROLE_RESULT || (run->role[i] == ROLE_RANKS && option->kind != OPTION_FLAG))
        return true;
    return option_choice("1|fp32|no", option_text(option, text, sizeof(text))) < 0 ||
           (run->resumed.header && safetensors_metadata(&run->resumed, option->name) != NULL);
}

/* The data set is the first setting. */
static void
describe_run(TrainRun *run)
{
    size_t count = 0;
    for (int i = 0; run->table[i].name != NULL; i++)
        if (is_saved(run, i))
            run->settings[count++] = (Metadata){
                run->table[i].name, (char *)option_text(&run->table[i], run->texts[i], sizeof(run->texts[i]))};
    dataset_full_name(run->options.data, run->texts[0]);
    if (run->model->build != mlp_build)
        run->settings[count++] = (Metadata){"model", run->model->name};
    run->settings[count++] = (Metadata){CHECKSUM, run->checksum};
    run->checkpoint = (Checkpoint){.path = run->options.save,
                                   .trainer = run->trainer,
                                   .normalizer = &run->normalizer,
                                   .settings = run->settings,
                                   .setting_count = count};
}

/* The first weights and the position. The same data under another name are the same: only where the checksums differ do the names
 * tell anything. */
static bool
restore(TrainRun *run)
{
    const TrainArguments *o = &run->options;
    describe_run(run);
    if (o->load && run->resumed.header)
        return error_set(&run->error, "--load and --resume both say what to begin with: give one of them");
    run->status = STATUS_FAILED;
    if (o->load)
        return weights_load(run->net, o->load, &run->error);
    if (!run->resumed.header)
        return true;
    Checkpoint source = run->checkpoint;
    const char *checksum = safetensors_metadata(&run->resumed, CHECKSUM);
    source.path = o->resume;
    if (checksum && strcmp(checksum, run->checksum) == 0) {
        source.settings++;
        source.setting_count--;
    }
    if (!checkpoint_restore(&source, &run->resumed, &run->error))
        return false;
    run->first_step = trainer_steps_done(run->trainer);
    return true;
}

/* --save and --resume may be one file; any other that serves two purposes would be lost. */
static bool
check_files(TrainRun *run)
{
    const TrainArguments *o = &run->options;
    if (run->ranks.rank != 0)
        return true; /* rank 0 alone writes */
    char data[2][DATA_PATH_MAX];
    const int count = dataset_files(o->data, data);
    const CliFile files[] = {{"save", o->save},
                             {"data", count > 0 ? data[0] : NULL, true},
                             {"data", count > 1 ? data[1] : NULL, true},
                             {"csv", o->csv},
                             {"json", o->json},
                             {"trace", o->trace},
                             {"load", o->load, true},
                             {"resume", o->resume, true}};
    enum { BUT_ONE = sizeof(files) / sizeof(files[0]) - 1 };
    run->status = STATUS_USAGE;
    if (!cli_files_differ(files + 1, BUT_ONE, &run->error) || !cli_files_differ(files, BUT_ONE, &run->error))
        return false;
    run->status = STATUS_FAILED;
    return cli_files_writable(files, BUT_ONE, &run->error);
}

/* ---- the training ---------------------------------------------------------------------------------------------------------- */

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
    trace_span(run->trace, "save", "train", run->ranks.rank, 0, start, clock_now());
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
stopped(TrainRun *run)
{
    const int signal_number = ranks_largest(&run->ranks, (int)stop_signal);
    const bool saved = run->options.save && save(run, &run->error);
    if (run->ranks.rank != 0)
        return STATUS_DONE;
    const TrainPosition *at = &run->trainer->position;
    fprintf(stderr, "stopped after %" PRIu64 " epochs and %" PRIu64 " steps", at->epoch, at->step);
    if (!run->options.save) {
        fprintf(stderr, "; nothing is saved (--save FILE would have done it)\n");
    } else if (saved) {
        fprintf(stderr, "; go on with: %s --resume %s\n", run->command, run->options.save);
    } else {
        fprintf(stderr, "\n");
        return STATUS_FAILED;
    }
    return train_write_files(run, NULL) ? 128 + signal_number : STATUS_FAILED;
}

static int
finished(TrainRun *run)
{
    double start = clock_now();
    Evaluation test;
    if (!train_evaluate(run->net, run->data.test, run->trainer->group, &test, &run->error))
        return STATUS_FAILED;
    trace_span(run->trace, "test", "train", run->ranks.rank, 0, start, clock_now());
    if (run->ranks.rank != 0)
        return STATUS_DONE;
    bool written = train_write_files(run, &test);
    train_print_result(run, test); /* hours of training are not lost with a file */
    return written ? STATUS_DONE : STATUS_FAILED;
}

/* Trains to the end, or to Ctrl-C, saving on the way. Returns the exit status, that of rank 0 on all. */
static int
train(TrainRun *run)
{
    const bool speaks = run->ranks.rank == 0;
    const TrainWatch watch = {.context = run, .step = after_step, .epoch = after_epoch, .stop = &stop_signal};
    const Trainer *trainer = run->trainer;
    const size_t left = ((size_t)trainer->options.epochs - trainer->position.epoch) * train_samples_per_epoch(trainer) -
                        trainer->position.seen; /* that the remaining steps visit */
    if (speaks)
        train_print_plan(run);
    run->progress = progress_start("train", left, "samples");
    run->epoch_lines = speaks && !(run->progress.terminal && run->progress.out && isatty(STDOUT_FILENO));
    catch_signals();
    const TrainEnd end = trainer_run(run->trainer, &watch, &run->error);
    if (end == TRAIN_FAILED)
        train_failed_step(run);
    if (left > 0)
        progress_finish(&run->progress, run->note);
    if (end == TRAIN_DONE)
        ranks_report(&run->ranks);
    int status = end == TRAIN_DONE ? finished(run) : end == TRAIN_STOPPED ? stopped(run) : STATUS_FAILED;
    status = ranks_largest(&run->ranks, status);
    Error trace_error;
    Trace *trace = run->trace;
    run->trace = NULL;
    const bool traced = ranks_trace_close(&run->ranks, trace, run->options.trace, &trace_error);
    if (!traced && status != STATUS_FAILED) {
        run->error = trace_error;
        status = STATUS_FAILED;
    }
    return ranks_largest(&run->ranks, status);
}

/* The communicator of one rank that shall train as several do is made here; then whether all can begin, and the timeline. */
static bool
join(TrainRun *run)
{
    ranks_meet(&run->ranks, run->strategy != NULL);
    if (!train_same_on_all_ranks(run))
        return false;
    run->status = STATUS_FAILED;
    run->trace = ranks_trace_create(&run->ranks, run->options.trace, &run->error);
    run->trainer->trace = run->trace;
    return ranks_agree(&run->ranks, run->trace != NULL, &run->status, &run->error) && train_join(run);
}

static void
free_run(TrainRun *run)
{
    Error ignored;
    if (run->trace)
        trace_close(run->trace, &ignored);
    ranks_part(&run->ranks);
    trainer_free(run->trainer);
    train_data_free(&run->data);
    net_free(run->net);
    normalizer_free(&run->normalizer);
    split_free(&run->split);
    dataset_free(&run->dataset);
    safetensors_free(&run->resumed);
}

int
command_train(const Model *model, int argc, char **argv)
{
    TrainRun *run = ARRAY(TrainRun, 1);
    run->model = model;
    snprintf(run->command, sizeof(run->command), "rungs train %s", model->name);
    ranks_meet(&run->ranks, false);
    const bool good = train_parse(run, argc, argv) && train_complete(run) && train_choose_parallel(run) &&
                      check_files(run) && train_open_data(run) && train_build(run) && restore(run);
    if (!good && run->ranks.rank > 0 && run->error.text[0] == '\0') /* the parser lets rank 0 speak */
        error_set(&run->error, "its options are not those of rank 0");
    if (ranks_agree(&run->ranks, good, &run->status, &run->error) && join(run))
        run->status = train(run);
    if (run->error.text[0] != '\0' && run->ranks.rank == 0)
        fprintf(stderr, "%s: %s\n", run->command, run->error.text);
    const int status = run->status;
    free_run(run);
    const int result = train_report_findings(run, status);
    array_free(run);
    return result;
}
