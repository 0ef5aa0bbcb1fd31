/* `rungs train mlp`, `lenet`, ..: the options, and how a checkpoint and the data set supply those that are not given.
 * SPDX-License-Identifier: MIT */
#include "cli/train_network.h"
#include "cli/cli.h"
#include "core/array.h"
#include "cpu/backend.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The defaults of everything else. */
static TrainArguments
common_defaults(const TrainKind *kind)
{
    return (TrainArguments){
        .data = kind->first_data,
        .activation = "relu",
        .test = 0.2,
        .seed = 1,
        .kernels = "best",
        .optimizer = "adam",
        .momentum = 0.9,
        .micro_batches = 1,
        .precision = "fp32",
        .schedule = "constant",
        .save_every = 1,
        .device = "cpu",
        .ranks = train_rank_defaults(),
    };
}

void
train_option_table(TrainArguments *o, Option table[TRAIN_OPTIONS_MAX])
{
    const Option options[TRAIN_OWN_OPTIONS] = {
        {"data", OPTION_STRING, &o->data, "SET",
         "digits, iris, mnist, fashion, cifar10, FILE.csv or IMAGES,LABELS (IDX)"},
        {"hidden", OPTION_INTS, &o->hidden, "LIST", "neurons of each hidden layer", .min = 1, .max = 1e6},
        {"activation", OPTION_CHOICE, &o->activation, "KIND", "of the hidden layers", "relu|tanh|sigmoid"},
        {"normalize", OPTION_CHOICE, &o->normalize, "KIND",
         "each feature to mean 0 and variance 1, or to 0..1; range: one range for all (pixels)",
         "none|standard|minmax|range"},
        {"validation", OPTION_DOUBLE, &o->validation, "PART", "of all samples, to watch the training by", .min = 0,
         .max = 0.99},
        {"test", OPTION_DOUBLE, &o->test, "PART",
         "of all samples, looked at once at the end; mnist, fashion and cifar10 have their own", .min = 0, .max = 0.99},
        {"seed", OPTION_SIZE, &o->seed, "N", "decides split, first weights and order: same seed, same bits"},
        {"kernels", OPTION_CHOICE, &o->kernels, "RUNG",
         "bottom or top rung of every ladder; the others: the top, but with this rung of gemm", cpu_backend_names()},
        {"batch", OPTION_INT, &o->batch, "N", "samples in a step", .min = 1, .max = 1e9},
        {"drop-last", OPTION_FLAG, &o->drop_last, "", "leave out the partial batch at the end of an epoch"},
        {"lr", OPTION_DOUBLE, &o->rate, "RATE", "learning rate", .min = 1e-30, .max = 1e30},
        {"optimizer", OPTION_CHOICE, &o->optimizer, "KIND", "how gradients become steps", "sgd|momentum|nesterov|adam"},
        {"momentum", OPTION_DOUBLE, &o->momentum, "X", "of momentum and nesterov", .min = 0, .max = 0.999999},
        {"weight-decay", OPTION_DOUBLE, &o->weight_decay, "X", "L2 penalty", .min = 0, .max = 1e3},
        {"schedule", OPTION_STRING, &o->schedule, "TEXT",
         "of the rate: constant, step:SPAN:FACTOR, cosine[:END], linear[:END], warmup:SPAN+..; SPAN in steps or 5%"},
        {"micro-batches", OPTION_INT, &o->micro_batches, "N",
         "take a batch, or a rank's part of it, in N parts whose gradients add up: less memory", .min = 1, .max = 1e9},
        {"precision", OPTION_CHOICE, &o->precision, "TYPE",
         "values between layers are stored as this type and weights read as it; trained are fp32 weights",
         "fp32|bf16|fp16"},
        {"epochs", OPTION_INT, &o->epochs, "N", "passes over the training samples", .min = 1, .max = 1e6},
        {"recompute", OPTION_INT, &o->recompute, "N",
         "keep the values between N segments of layers only, and compute those inside again: same bits, less memory",
         .min = 0, .max = 1e6},
        {"stream", OPTION_FLAG, &o->stream, "",
         "read IDX samples (raw, not .gz) from the disk in every epoch, for data larger than memory"},
        {"threads", OPTION_INT, &o->threads, "N",
         "change the time, not the result; 0: as many as the size of a step is worth", .min = 0, .max = 4096},
        {"device", OPTION_CHOICE, &o->device, "DEVICE",
         "a GPU, or its emulator: small networks only, times mean nothing; the other one also looks for mistakes",
         "cpu|gpu|emulator|emulator-checked"},
        {"save", OPTION_STRING, &o->save, "FILE",
         "write a checkpoint there (safetensors); after --resume the same file"},
        {"save-every", OPTION_INT, &o->save_every, "N", "epochs between two checkpoints", .min = 1, .max = 1e6},
        {"load", OPTION_STRING, &o->load, "FILE",
         "start from the weights in a safetensors file: of a checkpoint, or saved by PyTorch"},
        {"resume", OPTION_STRING, &o->resume, "FILE", "go on from a checkpoint"},
        {"csv", OPTION_STRING, &o->csv, "FILE", "write epoch, loss, validation accuracy, rate, seconds, speed"},
        {"json", OPTION_STRING, &o->json, "FILE", "write options, machine, losses, accuracy, speed"},
        {"trace", OPTION_STRING, &o->trace, "FILE", "write a timeline of the steps for ui.perfetto.dev"},
    };
    memcpy(table, options, sizeof(options));
    train_rank_option_table(&o->ranks, table + TRAIN_OWN_OPTIONS);
}

bool
train_has_option(const TrainKind *kind, const Option *option)
{
    return !kind->build || (strcmp(option->name, "hidden") != 0 && strcmp(option->name, "activation") != 0);
}

/* A number in the fewest digits that read back as the same double, 15 or 17. */
static void
number_text(double number, char text[TRAIN_TEXT_SIZE])
{
    snprintf(text, TRAIN_TEXT_SIZE, "%.15g", number);
    if (strtod(text, NULL) != number)
        snprintf(text, TRAIN_TEXT_SIZE, "%.17g", number);
}

const char *
train_option_text(const Option *option, char text[TRAIN_TEXT_SIZE])
{
    const IntList *list = option->value;
    size_t length = 0;
    text[0] = '\0';
    switch (option->kind) {
    case OPTION_FLAG:
        snprintf(text, TRAIN_TEXT_SIZE, "%s", *(bool *)option->value ? "yes" : "no");
        break;
    case OPTION_INT:
        snprintf(text, TRAIN_TEXT_SIZE, "%d", *(int *)option->value);
        break;
    case OPTION_SIZE:
    case OPTION_BYTES:
        snprintf(text, TRAIN_TEXT_SIZE, "%llu", (unsigned long long)*(uint64_t *)option->value);
        break;
    case OPTION_DOUBLE:
        number_text(*(double *)option->value, text);
        break;
    case OPTION_STRING:
    case OPTION_CHOICE:
        snprintf(text, TRAIN_TEXT_SIZE, "%s", *(const char **)option->value);
        break;
    case OPTION_INTS:
        for (int i = 0; i < list->count && length < TRAIN_TEXT_SIZE; i++)
            length += (size_t)snprintf(text + length, TRAIN_TEXT_SIZE - length, i ? ",%d" : "%d", list->values[i]);
        break;
    case OPTION_STRINGS:
        break; /* no option of a training */
    }
    return text;
}

enum { NOTES_SIZE = 4096 };

/* What follows the options in the help. */
static void
write_notes(const TrainKind *kind, char notes[NOTES_SIZE])
{
    int length =
        snprintf(notes, NOTES_SIZE,
                 "Defaults by data set (those above are for %s; a batch is never more than the samples to train):\n",
                 kind->first_data);
    for (int d = 0; d < kind->defaults_count; d++) {
        length += snprintf(notes + length, NOTES_SIZE - (size_t)length, "  %-8s", kind->defaults[d].data);
        for (int i = 0; i < DEFAULTS_MAX && kind->defaults[d].options[i]; i++)
            length += snprintf(notes + length, NOTES_SIZE - (size_t)length, " %s", kind->defaults[d].options[i]);
        length += snprintf(notes + length, NOTES_SIZE - (size_t)length, "\n");
    }
    snprintf(
        notes + length, NOTES_SIZE - (size_t)length,
        "\nA run that was stopped goes on with `%s --resume FILE` and ends with the very bits of a run\n"
        "that was not: options that are not given are those of the file, and others are refused. --data may say where\n"
        "the same data are now; --epochs may grow, unless the schedule of the rate depends on it. With the same file\n"
        "after --save and --resume, a missing file is the beginning: a script may then simply be started again.\n"
        "Ctrl-C ends the current step and saves.\n"
        "\nOn a device --kernels says nothing, and the sums are rounded in another order: the losses are those of the "
        "processor to\n"
        "about 1e-4 at first. A checkpoint may go on on any device. The emulator computes some 100 million products a "
        "second on a core\n"
        "(emulator-checked: a tenth of that): take a small network and few samples, as --test 0.9 leaves.\n"
        "\n%s\nExamples:\n%s",
        kind->command, train_parallel_notes(), kind->examples);
}

/* Lets options_parse overlay *options with these arguments; argv[0] is a name, or anything. */
static OptionsResult
overlay(const TrainKind *kind, TrainArguments *options, const char *name, int argc, char **argv)
{
    Option all[TRAIN_OPTIONS_MAX], table[TRAIN_OPTIONS_MAX] = {0};
    char notes[NOTES_SIZE];
    int positional = 0, count = 0;
    train_option_table(options, all);
    for (int i = 0; all[i].name != NULL; i++)
        if (train_has_option(kind, &all[i]))
            table[count++] = all[i];
    write_notes(kind, notes);
    const Command command = {name, "", kind->summary, table, notes, 0, 0};
    return options_parse(&command, argc, argv, &positional);
}

/* What suits options->data. */
static OptionsResult
overlay_defaults(const TrainKind *kind, TrainArguments *options)
{
    int row = 0;
    while (row < kind->defaults_count - 1 && strcmp(options->data, kind->defaults[row].data) != 0)
        row++;
    char *arguments[DEFAULTS_MAX + 1] = {"defaults"};
    int count = 1;
    for (int i = 0; i < DEFAULTS_MAX && kind->defaults[row].options[i]; i++)
        arguments[count++] = kind->defaults[row].options[i];
    return overlay(kind, options, kind->command, count, arguments);
}

/* The settings of a checkpoint, typed again. The texts live as long as the run: options point into them. */
static OptionsResult
overlay_checkpoint(TrainRun *run)
{
    char *arguments[TRAIN_OPTIONS_MAX + 1] = {"checkpoint"};
    int count = 1;
    for (int i = 0; run->table[i].name != NULL; i++) {
        const Option *option = &run->table[i];
        if (i > TRAIN_SETTINGS && i < TRAIN_OWN_OPTIONS) /* epochs is not among the settings, but stands there, too */
            continue;
        const char *value = safetensors_metadata(&run->resumed, option->name);
        char *text = run->typed[i];
        if (!value || !train_has_option(run->kind, option))
            continue;
        if (option->kind == OPTION_FLAG)
            snprintf(text, TRAIN_TEXT_SIZE, "--%s%s", strcmp(value, "yes") == 0 ? "" : "no-", option->name);
        else
            snprintf(text, TRAIN_TEXT_SIZE, "--%s=%s", option->name, value);
        arguments[count++] = text;
    }
    return overlay(run->kind, &run->options, run->options.resume, count, arguments);
}

/* Opens the file of --resume, if there is one to open. A missing file is the beginning only for a caller who has said
 * that it will be written: for anyone else it is a mistyped name. */
static bool
open_resumed(TrainRun *run, Error *error)
{
    const TrainArguments *o = &run->options;
    if (!o->resume)
        return true;
    if (o->save && strcmp(o->save, o->resume) == 0 && access(o->resume, F_OK) != 0 && errno == ENOENT) {
        if (run->rank == 0)
            printf("%s does not exist yet: starting from the beginning\n", o->resume);
        return true;
    }
    return checkpoint_open(o->resume, &run->resumed, error);
}

/* Weakest first: what suits the data set, what the checkpoint says, what was typed. */
static bool
read_options(TrainRun *run, int argc, char **argv, int *status, Error *error)
{
    TrainArguments typed = common_defaults(run->kind);
    OptionsResult result = overlay_defaults(run->kind, &typed);
    if (result == OPTIONS_OK)
        result = overlay(run->kind, &typed, run->kind->command, argc, argv);
    *status = result == OPTIONS_HELP ? STATUS_DONE : STATUS_USAGE;
    if (result != OPTIONS_OK)
        return false;
    run->argc = argc;
    run->argv = argv;
    run->batch_typed = options_given(argc, argv, "batch");
    run->rate_typed = options_given(argc, argv, "lr");

    run->options = common_defaults(run->kind);
    run->options.data = typed.data;
    run->options.save = typed.save;
    run->options.resume = typed.resume;
    train_option_table(&run->options, run->table);
    *status = STATUS_FAILED;
    if (overlay_defaults(run->kind, &run->options) != OPTIONS_OK || !open_resumed(run, error))
        return false;
    run->wanted_batch = run->options.batch;
    run->options.batch = 0; /* until the checkpoint or the caller gives one */
    if (run->resumed.header && overlay_checkpoint(run) != OPTIONS_OK)
        return false;
    if (run->resumed.header && !run->options.save)
        run->options.save = run->options.resume;
    return overlay(run->kind, &run->options, run->kind->command, argc, argv) == OPTIONS_OK;
}

/* The commands: one kind each. */
static int
command_train(const TrainKind *kind, int argc, char **argv)
{
    TrainRun *run = ARRAY(TrainRun, 1);
    Error error = {""};
    int status;
    run->kind = kind;
    train_meet(run);
    const bool good = read_options(run, argc, argv, &status, &error) && train_choose_parallel(run, &status, &error) &&
                      train_open(run, &status, &error);
    if (train_all_good(run, good, &status, &error) && train_begin(run, &status, &error))
        status = train_run(run, &error);
    if (error.text[0] != '\0' && run->rank == 0)
        fprintf(stderr, "%s: %s\n", kind->command, error.text);
    train_close(run);
    status = train_report_findings(run, status);
    array_free(run);
    return status;
}

int
command_train_mlp(int argc, char **argv)
{
    return command_train(&train_mlp_kind, argc, argv);
}

int
command_train_lenet(int argc, char **argv)
{
    return command_train(&train_lenet_kind, argc, argv);
}

int
command_train_vgg_small(int argc, char **argv)
{
    return command_train(&train_vgg_small_kind, argc, argv);
}
