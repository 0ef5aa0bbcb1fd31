/* `rungs bench mlp`, `rungs bench lenet`: training steps of a network beside PyTorch's.
 * SPDX-License-Identifier: MIT */
#include "cli/bench_step.h"
#include "cli/cli.h"
#include "cli/file_options.h"
#include "cli/handicaps.h"
#include "cli/thread_list.h"
#include "core/options.h"
#include "cpu/backend.h"
#include <stdio.h>

/* Static: too large for a stack; a command runs once. */
static BenchStep o;

static int
run(int argc, char **argv, const Command *command)
{
    Error error;
    int positional;
    const OptionsResult result = options_parse(command, argc, argv, &positional);
    if (result != OPTIONS_OK)
        return result == OPTIONS_HELP ? STATUS_DONE : STATUS_USAGE;
    Status status = thread_list_check(&o.threads, &error)
                        ? file_options_check((FileOption[]){{"csv", o.csv}, {"json", o.json}}, 2, &error)
                        : STATUS_USAGE;
    if (status == STATUS_DONE) {
        handicaps_remove(command->name);
        o.command = command->name;
        status = bench_step(&o, &error) ? STATUS_DONE : STATUS_FAILED;
    }
    if (status != STATUS_DONE)
        fprintf(stderr, "%s: %s\n", command->name, error.text);
    return status;
}

static void
set_defaults(int batch)
{
    o = (BenchStep){.threads = thread_list_default(),
                    .net = {.hidden = {1, {64}}, .inputs = 64, .classes = 10},
                    .batch = batch,
                    .rounds = 15,
                    .seconds = 0.1,
                    .kernels = "all"};
}

/* Ends with what both commands have in common. */
#define COMMON_OPTIONS                                                                                                 \
    {"batch", OPTION_INT, &o.batch, "N", "samples in a step", .min = 1, .max = 1e5},                                   \
        {"threads", OPTION_INTS, &o.threads, "LIST", "a table for each number of threads", .min = 1, .max = 1024},     \
        {"kernels",                                                                                                    \
         OPTION_CHOICE,                                                                                                \
         &o.kernels,                                                                                                   \
         "WHICH",                                                                                                      \
         "bottom or top rung of every ladder; the others: the top, but with this rung of gemm",                        \
         choices},                                                                                                     \
        {"rounds", OPTION_INT, &o.rounds, "N", "measurements of each row", .min = 1, .max = 1e4},                      \
        {"seconds", OPTION_DOUBLE, &o.seconds, "S", "length of one measurement", .min = 1e-3, .max = 1e3},             \
        {"torch", OPTION_STRING, &o.torch, "PYTHON", "a Python that has PyTorch: measures it in turns"},               \
        {"csv", OPTION_STRING, &o.csv, "FILE", "writes the table"},                                                    \
        {"json", OPTION_STRING, &o.json, "FILE", "writes machine, settings and every measurement"}, {0},

int
command_bench_mlp(int argc, char **argv)
{
    char choices[256];
    snprintf(choices, sizeof choices, "all|%s", cpu_backend_names());
    set_defaults(32);
    const Option options[] = {
        {"inputs", OPTION_INT, &o.net.inputs, "N", "features of a sample", .min = 1, .max = 1e6},
        {"hidden", OPTION_INTS, &o.net.hidden, "LIST", "neurons of each hidden layer", .min = 1, .max = 1e5},
        {"classes", OPTION_INT, &o.net.classes, "N", "outputs", .min = 1, .max = 1e5},
        COMMON_OPTIONS};
    return run(argc, argv,
               &(Command){"rungs bench mlp", "", "measure training steps of a small network", options,
                          "rungs bench mlp --threads 1,2 --torch python3", 0, 0});
}

int
command_bench_lenet(int argc, char **argv)
{
    char choices[256];
    snprintf(choices, sizeof choices, "all|%s", cpu_backend_names());
    set_defaults(64);
    o.net.model = model_find("lenet");
    const Option options[] = {COMMON_OPTIONS};
    return run(argc, argv,
               &(Command){"rungs bench lenet", "", "measure training steps of LeNet-5 on images of 28 x 28 pixels",
                          options, "rungs bench lenet --threads 1,2 --torch python3", 0, 0});
}
