/* `rungs train mlp`: from options and data to a trainer, and the training with its checkpoints and Ctrl-C.
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/file_options.h"
#include "cli/train_mlp.h"
#include "core/array.h"
#include "core/clock.h"
#include "core/host.h"
#include "core/units.h"
#include "cpu/backend.h"
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- network and trainer ---- */

static int
add_activation(Net *net, const char *name, int x)
{
    return strcmp(name, "tanh") == 0      ? net_tanh(net, x)
           : strcmp(name, "sigmoid") == 0 ? net_sigmoid(net, x)
                                          : net_relu(net, x);
}

static void
build_net(MlpRun *run, const Backend *backend)
{
    const MlpOptions *o = &run->options;
    const Dataset *data = &run->dataset;
    run->net = net_create(backend, o->seed);
    int x = net_input(run->net, data->height, data->width, data->channels);
    for (int i = 0; i < o->hidden.count; i++)
        x = add_activation(run->net, o->activation, net_dense(run->net, x, o->hidden.values[i]));
    net_softmax_loss(run->net, net_dense(run->net, x, data->classes));
}

/* More numbers than memory holds would end the program without a word, or the machine with it. */
static bool
check_memory(const MlpRun *run, Error *error)
{
    const MlpOptions *o = &run->options;
    char needed[UNITS_SIZE], there[UNITS_SIZE];
    double numbers = 4 * (double)net_parameter_count(run->net); /* weights, gradients, and Adam's m and v */
    for (int i = 0; i < o->hidden.count; i++)
        numbers += 2 * (double)o->batch * o->hidden.values[i]; /* outputs and their gradients */
    const double bytes = sizeof(float) * numbers, memory = (double)host_get()->memory;
    if (bytes <= memory)
        return true;
    return error_set(error, "a network of %zu parameters needs %s to train, but %s are there: make --hidden smaller",
                     net_parameter_count(run->net), units_bytes(needed, bytes), units_bytes(there, memory));
}

static bool
make_train_options(const MlpOptions *o, TrainOptions *options, Error *error)
{
    *options = (TrainOptions){.epochs = o->epochs,
                              .batch = o->batch,
                              .drop_last = o->drop_last,
                              .rate = o->rate,
                              .optimizer_options = optimizer_defaults(),
                              .seed = o->seed};
    options->optimizer_options.momentum = o->momentum;
    options->optimizer_options.weight_decay = o->weight_decay;
    return optimizer_kind_from_name(o->optimizer, &options->optimizer, error) &&
           schedule_parse(o->schedule, &options->schedule, error);
}

/* A step is some 6 operations for each sample and parameter: a multiplication and an addition forward, twice that backward.
 * A thread is worth its share of the barriers, and the risk that it is not scheduled when the others wait for it, only
 * if it gets enough of them: 100 million take a core a millisecond or two. */
static int
worthwhile_threads(const Net *net, int batch)
{
    double operations = 6 * (double)batch * (double)net_parameter_count(net);
    return (int)fmin(host_threads(), 1 + operations / 1e8);
}

static bool
build_trainer(MlpRun *run, int *status, Error *error)
{
    const MlpOptions *o = &run->options;
    TrainOptions options;
    *status = STATUS_USAGE;
    if (!make_train_options(o, &options, error))
        return false;
    const Backend *backend = cpu_backend(o->kernels, error);
    if (!backend)
        return false;
    build_net(run, backend);
    if (!check_memory(run, error))
        return false;
    net_build(run->net, o->batch);
    host_set_threads(o->threads > 0 ? o->threads : worthwhile_threads(run->net, o->batch));
    run->trainer = trainer_create(run->net, &run->dataset, &run->split, &options, error);
    return run->trainer != NULL;
}

/* ---- checkpoints ---- */

static const char CHECKSUM[] = "checksum of the data";

/* The data set is the first setting. */
static void
describe_run(MlpRun *run)
{
    for (int i = 0; i < MLP_SETTINGS; i++)
        run->settings[i] = (Metadata){run->table[i].name, mlp_option_text(&run->table[i], run->texts[i])};
    dataset_full_name(run->options.data, run->texts[0]);
    run->settings[MLP_SETTINGS] = (Metadata){CHECKSUM, run->checksum};
    run->checkpoint = (Checkpoint){.path = run->options.save,
                                   .trainer = run->trainer,
                                   .normalizer = &run->normalizer,
                                   .settings = run->settings,
                                   .setting_count = MLP_SETTINGS + 1};
}

/* The same data under another name are the same: only where the checksums differ do the names tell anything. */
static bool
resume(MlpRun *run, Error *error)
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
check_files(const MlpOptions *o, int *status, Error *error)
{
    char data[2][DATA_PATH_MAX];
    const int count = dataset_files(o->data, data);
    const FileOption files[] = {{"save", o->save},
                                {"data", count > 0 ? data[0] : NULL, true},
                                {"data", count > 1 ? data[1] : NULL, true},
                                {"csv", o->csv},
                                {"json", o->json},
                                {"trace", o->trace},
                                {"resume", o->resume, true}};
    enum { BUT_ONE = sizeof(files) / sizeof(files[0]) - 1 };
    *status = STATUS_USAGE;
    if (!file_options_differ(files + 1, BUT_ONE, error) || !file_options_differ(files, BUT_ONE, error))
        return false;
    *status = STATUS_FAILED;
    return file_options_writable(files, BUT_ONE, error);
}

bool
mlp_open(MlpRun *run, int *status, Error *error)
{
    const MlpOptions *o = &run->options;
    if (!check_files(o, status, error))
        return false;
    if (!mlp_open_data(run, status, error) || !build_trainer(run, status, error))
        return false;
    describe_run(run);
    *status = STATUS_FAILED;
    if (!resume(run, error))
        return false;
    run->trainer->trace = run->trace = trace_create(o->trace, error);
    return run->trace != NULL;
}

void
mlp_close(MlpRun *run)
{
    trainer_free(run->trainer);
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
    MlpRun *run = context;
    uint64_t steps = trainer_steps_done(trainer), epoch = (steps - 1) / trainer->steps_per_epoch + 1;
    char text[32];
    snprintf(run->note, sizeof(run->note), "epoch %" PRIu64 "/%d  loss %s", epoch, trainer->options.epochs,
             mlp_loss_text(text, loss));
    progress_update(&run->progress, trainer->samples, run->note);
}

static bool
save(const MlpRun *run, Error *error)
{
    double start = clock_now();
    bool good = checkpoint_save(&run->checkpoint, error);
    trace_span(run->trace, "save", "train", 0, 0, start, clock_now());
    return good;
}

static bool
after_epoch(void *context, const Trainer *trainer, Error *error)
{
    MlpRun *run = context;
    uint64_t done = trainer->position.epoch;
    if (run->epoch_lines)
        mlp_print_epoch(run);
    bool due = done % (uint64_t)run->options.save_every == 0 || done == (uint64_t)trainer->options.epochs;
    return !run->options.save || !due || save(run, error);
}

/* After Ctrl-C or SIGTERM: the exit status says which, as shells do. */
static int
stopped(MlpRun *run, Error *error)
{
    const TrainPosition *at = &run->trainer->position;
    fprintf(stderr, "stopped after %" PRIu64 " epochs and %" PRIu64 " steps", at->epoch, at->step);
    if (!run->options.save) {
        fprintf(stderr, "; nothing is saved (--save FILE would have done it)\n");
    } else if (save(run, error)) {
        fprintf(stderr, "; go on with: rungs train mlp --resume %s\n", run->options.save);
    } else {
        fprintf(stderr, "\n");
        return STATUS_FAILED;
    }
    return mlp_write_files(run, NULL, error) ? 128 + (int)stop_signal : STATUS_FAILED;
}

static int
finished(MlpRun *run, Error *error)
{
    double start = clock_now();
    Evaluation test =
        train_evaluate(run->net, &run->dataset, run->split.test, run->split.test_count, run->options.batch);
    trace_span(run->trace, "test", "train", 0, 0, start, clock_now());
    bool written = mlp_write_files(run, &test, error);
    mlp_print_result(run, test); /* hours of training are not lost with a file */
    return written ? STATUS_DONE : STATUS_FAILED;
}

/* The samples that the remaining steps will visit. */
static size_t
samples_left(const Trainer *trainer)
{
    size_t per_epoch = trainer->batches.count;
    if (trainer->options.drop_last)
        per_epoch = trainer->steps_per_epoch * (size_t)trainer->options.batch;
    return ((size_t)trainer->options.epochs - trainer->position.epoch) * per_epoch - trainer->position.seen;
}

int
mlp_train(MlpRun *run, Error *error)
{
    mlp_print_plan(run);
    const TrainWatch watch = {.context = run, .step = after_step, .epoch = after_epoch, .stop = &stop_signal};
    size_t left = samples_left(run->trainer);
    run->progress = progress_start("train", left, "samples");
    run->epoch_lines = !(run->progress.terminal && run->progress.out && isatty(STDOUT_FILENO));
    catch_signals();
    TrainEnd end = trainer_run(run->trainer, &watch, error);
    if (left > 0)
        progress_finish(&run->progress, run->note);
    int status = end == TRAIN_DONE ? finished(run, error) : end == TRAIN_STOPPED ? stopped(run, error) : STATUS_FAILED;
    Error trace_error;
    bool traced = trace_close(run->trace, &trace_error);
    run->trace = NULL;
    if (traced || status == STATUS_FAILED)
        return status;
    *error = trace_error;
    return STATUS_FAILED;
}
