/* `rungs train NETWORK`: the options, and where those that are not given come from. SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/train.h"
#include "core/checked.h"
#include "cpu/backend.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The names of --parallel, joined by '|'. */
static const char *
strategy_names(void)
{
    static char text[256];
    size_t length = (size_t)snprintf(text, sizeof(text), "none");
    for (int i = 0; i < STRATEGIES && length < sizeof(text); i++)
        length += (size_t)snprintf(text + length, sizeof(text) - length, "|%s", strategies[i].name);
    return text;
}

/* Appends to the table, but for the options that describe mlp's layers where the model has its own. */
static void
add_options(TrainRun *run, TrainRole role, const Option *options, size_t count)
{
    size_t n = 0;
    while (run->table[n].name != NULL)
        n++;
    CHECK_THAT(n + count <= TRAIN_OPTIONS_MAX, "%zu options are too many", n + count);
    for (size_t i = 0; i < count; i++) {
        const void *value = options[i].value;
        if (run->model->build != mlp_build && (value == &run->options.hidden || value == &run->options.activation))
            continue;
        run->role[n] = role;
        run->table[n++] = options[i];
    }
}

static void
add_rank_options(TrainRun *run)
{
    TrainArguments *o = &run->options;
    const Option parallel = {"parallel",
                             OPTION_CHOICE,
                             &o->parallel,
                             "KIND",
                             "how ranks train together, see below; if not given, data on several ranks, none on one",
                             strategy_names()};
    const Option ranks[] = {
        {"collectives", OPTION_STRING, &o->collectives, "NAME",
         "what ranks communicate by: ring, naive, auto or another rung of rungs bench allreduce, or mpi"},
        {"straggler", OPTION_STRING, &o->straggler, "RANK:MS",
         "that rank, not a server, sleeps MS milliseconds in every step"},
        {"weak", OPTION_FLAG, &o->weak, "", "weak scaling: --batch is per rank, a step has those of all that train"},
        {"scale-rate", OPTION_CHOICE, &o->scale_rate, "HOW", "with --weak: --lr grows with the batch; add a warmup",
         "none|linear|sqrt"},
    };
    Option strategy[STRATEGY_OPTIONS];
    strategy_options(&o->own, strategy);
    add_options(run, ROLE_RANKS, &parallel, 1);
    add_options(run, ROLE_RANKS, strategy, STRATEGY_OPTIONS);
    add_options(run, ROLE_RANKS, ranks, sizeof(ranks) / sizeof(Option));
}

/* The order of the table is that of the help, and of the settings in a checkpoint: --data comes first. */
static void
add_own_options(TrainRun *run)
{
    TrainArguments *o = &run->options;
    const Option result[] = {
        {"data", OPTION_STRING, &o->data, "SET",
         "digits, iris, mnist, fashion, cifar10, FILE.csv or IMAGES,LABELS (IDX)"},
        {"hidden", OPTION_INTS, &o->hidden, "LIST", "neurons of each hidden layer", .min = 1, .max = 1e6},
        {"activation", OPTION_CHOICE, &o->activation, "KIND", "of the hidden layers", "relu|tanh|sigmoid"},
        {"normalize", OPTION_CHOICE, &o->normalize, "KIND",
         "each feature to mean 0 and variance 1, or to 0..1; range: one range for all (pixels)", NORMALIZER_NAMES},
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
    };
    const Option changed[] = {
        {"micro-batches", OPTION_INT, &o->micro_batches, "N",
         "take a batch, or a rank's part of it, in N parts whose gradients add up: less memory", .min = 1, .max = 1e9},
        {"precision", OPTION_CHOICE, &o->precision, "TYPE",
         "values between layers are stored as this type and weights read as it; trained are fp32 weights",
         NUMBER_NAMES},
    };
    const Option epochs = {"epochs", OPTION_INT, &o->epochs, "N", "passes over the training samples", NULL, 1, 1e6};
    const Option others[] = {
        {"recompute", OPTION_INT, &o->recompute, "N",
         "keep the values between N segments of layers only, and compute those inside again: same bits, less memory",
         .min = 0, .max = 1e6},
        {"stream", OPTION_FLAG, &o->stream, "",
         "read IDX samples (raw, not .gz) from the disk in every epoch, for data larger than memory"},
        {"threads", OPTION_INT, &o->threads, "N", "change the time, not the result; 0: by the work of a step", .min = 0,
         .max = 4096},
        {"device", OPTION_CHOICE, &o->device, "DEVICE",
         "a GPU, or its emulator: small networks only, times mean nothing; the other one also looks for mistakes",
         TRAIN_DEVICES},
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
    add_options(run, ROLE_RESULT, result, sizeof(result) / sizeof(Option));
    add_options(run, ROLE_CHANGED, changed, sizeof(changed) / sizeof(Option));
    add_options(run, ROLE_EPOCHS, &epochs, 1);
    add_options(run, ROLE_FREE, others, sizeof(others) / sizeof(Option));
}

bool
train_typed(const TrainRun *run, const void *value)
{
    for (int i = 0; run->table[i].name != NULL; i++)
        if (run->table[i].value == value)
            return run->typed[i];
    return false;
}

/* What suits the data set, where nothing was typed. */
static void
take_defaults(TrainRun *run)
{
    TrainArguments *o = &run->options;
    const ModelDefaults *row = run->model->defaults;
    while (row->data != NULL && (o->data == NULL || strcmp(row->data, o->data) != 0))
        row++;
    if (!train_typed(run, &o->hidden) && row->hidden > 0)
        o->hidden = (IntList){1, {row->hidden}};
    if (!train_typed(run, &o->epochs))
        o->epochs = row->epochs;
    if (!train_typed(run, &o->batch))
        o->batch = row->batch;
    if (!train_typed(run, &o->rate))
        o->rate = row->rate;
    if (!train_typed(run, &o->normalize))
        o->normalize = row->normalize;
}

enum { NOTES_SIZE = 4096 };

/* What follows the options in the help. */
static void
write_notes(const TrainRun *run, char notes[NOTES_SIZE])
{
    const Model *model = run->model;
    const ModelDefaults *row = model->defaults;
    const char *data = row->data != NULL ? row->data : "IMAGES,LABELS";
    FILE *out = fmemopen(notes, NOTES_SIZE, "w");
    fprintf(out, "Defaults by data set (those above are for %s; a batch is never more than the samples to train):\n",
            row->data != NULL ? row->data : "files, which have to be named");
    do {
        fprintf(out, "  %-8s", row->data != NULL ? row->data : "files");
        if (row->hidden > 0)
            fprintf(out, " --hidden=%d", row->hidden);
        fprintf(out, " --epochs=%d --batch=%d --lr=%g --normalize=%s\n", row->epochs, row->batch, row->rate,
                row->normalize);
    } while (row++->data != NULL);
    fprintf(
        out,
        "\nA run that was stopped goes on with `%s --resume FILE` and ends with the very bits of a run\n"
        "that was not: options that are not given are those of the file, and others are refused. --data may say where\n"
        "the same data are now; --epochs may grow, unless the schedule of the rate depends on it. With the same file\n"
        "after --save and --resume, a missing file is the beginning: a script may then simply be started again.\n"
        "Ctrl-C ends the current step and saves.\n"
        "\nOn a device --kernels is ignored, and the sums are rounded in another order: the losses are those of the\n"
        "processor to about 1e-4 at first. A checkpoint may be resumed on any device. The emulator computes about 100\n"
        "million products a second on a core (emulator-checked: a tenth of that): take a small network and few\n"
        "samples, as --test 0.9 leaves.\n"
        "\n",
        run->command);
    train_print_strategies(out);
    fprintf(out, "\nExamples:\n");
    if (model->build == mlp_build)
        fprintf(out, "  %s --data iris --hidden 64,32 --optimizer sgd --lr 0.1 --csv iris.csv\n", run->command);
    fprintf(out, "  %s --data %s --schedule cosine\n  %s --data %s --save %s.safetensors --resume %s.safetensors\n",
            run->command, data, run->command, data, model->name, model->name);
    fclose(out);
}

bool
train_parse(TrainRun *run, int argc, char **argv)
{
    char notes[NOTES_SIZE], summary[128];
    int positional;
    run->options = (TrainArguments){
        .data = run->model->defaults->data,
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
        .collectives = "ring",
        .scale_rate = "none",
        .own = strategy_defaults(),
    };
    add_own_options(run);
    add_rank_options(run);
    take_defaults(run);
    write_notes(run, notes);
    snprintf(summary, sizeof(summary), "train %s", run->model->summary);
    const Command command = {run->command, "", summary, run->table, notes, 0, 0};
    const OptionsResult parsed = options_parse(&command, argc, argv, &positional);
    for (int i = 0; run->table[i].name != NULL; i++)
        run->typed[i] = options_given(argc, argv, run->table[i].name);
    run->status = parsed == OPTIONS_HELP ? STATUS_DONE : STATUS_USAGE;
    return parsed == OPTIONS_OK;
}

/* Opens the file of --resume, if there is one to open. A missing file is the beginning only for a caller who has said
 * that it will be written: for anyone else it is a mistyped name. */
static bool
open_resumed(TrainRun *run)
{
    const TrainArguments *o = &run->options;
    run->status = STATUS_FAILED;
    if (!o->resume)
        return true;
    if (o->save && strcmp(o->save, o->resume) == 0 && access(o->resume, F_OK) != 0 && errno == ENOENT) {
        if (run->ranks.rank == 0)
            printf("%s does not exist yet: starting from the beginning\n", o->resume);
        return true;
    }
    return checkpoint_open(o->resume, &run->resumed, &run->error);
}

bool
train_complete(TrainRun *run)
{
    TrainArguments *o = &run->options;
    if (!open_resumed(run))
        return false;
    take_defaults(run);
    for (int i = 0; run->resumed.header && run->table[i].name != NULL; i++) {
        const char *value = safetensors_metadata(&run->resumed, run->table[i].name);
        if (run->role[i] == ROLE_FREE || run->typed[i] || value == NULL)
            continue;
        if (!option_set(&run->table[i], value, &run->error))
            return error_set(&run->error, "%s: %s", o->resume, run->error.text);
    }
    if (run->resumed.header && !o->save)
        o->save = o->resume;
    run->status = STATUS_USAGE;
    const Shape input = run->model->input;
    return o->data != NULL ||
           error_set(&run->error,
                     "no data set that comes with rungs has the %d x %d x %d pixels that it was designed for: give "
                     "--data IMAGES,LABELS (IDX files) with images of at least %d x %d, or --data cifar10 where that "
                     "is enough",
                     input.height, input.width, input.channels, run->model->smallest, run->model->smallest);
}
