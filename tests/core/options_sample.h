/* A command with one option of every kind, for the tests of core/options.h.
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_CORE_OPTIONS_SAMPLE_H
#define TESTS_CORE_OPTIONS_SAMPLE_H

#include "core/options.h"
#include "tests/capture.h"
#include "tests/testing.h"

#include <unistd.h>

typedef struct Values {
    int epochs;
    uint64_t size, bucket;
    double rate;
    const char *data, *kernels;
    bool shuffle, quiet;
    IntList hidden;
} Values;

static const Values defaults = {20, 1000, 25 << 20, 0.1, "digits", "best", true, false, {2, {64, 32}}};
static Values v;
static const Option options[] = {
    {.name = "epochs",
     .kind = OPTION_INT,
     .value = &v.epochs,
     .argument = "N",
     .help = "passes over the training data",
     .min = 1,
     .max = 1e6},
    {.name = "size", .kind = OPTION_SIZE, .value = &v.size, .argument = "N", .help = "samples"},
    {.name = "bucket", .kind = OPTION_BYTES, .value = &v.bucket, .argument = "BYTES", .help = "sent at once"},
    {.name = "rate",
     .kind = OPTION_DOUBLE,
     .value = &v.rate,
     .argument = "ETA",
     .help = "learning rate",
     .min = 0,
     .max = 10},
    {.name = "data", .kind = OPTION_STRING, .value = &v.data, .argument = "SET", .help = "digits, iris, or a file"},
    {.name = "kernels", .kind = OPTION_CHOICE, .value = &v.kernels, .help = "rungs to use", .choices = "naive|best"},
    {.name = "shuffle",
     .kind = OPTION_FLAG,
     .value = &v.shuffle,
     .help = "visit the samples in a new order in every epoch"},
    {.name = "quiet", .kind = OPTION_FLAG, .value = &v.quiet, .help = "print nothing"},
    {.name = "hidden",
     .kind = OPTION_INTS,
     .value = &v.hidden,
     .argument = "SIZES",
     .help = "neurons of the hidden layers, from the input to the output, separated by commas and without any blanks",
     .min = 1,
     .max = 4096},
    {0}};
static const Command command = {.name = "rungs test",
                                .positional = "[FILE..]",
                                .summary = "test the options",
                                .options = options,
                                .notes = "Formats: none.",
                                .max_positional = 3};

typedef struct Arguments {
    int count;
    char *words[16];
    const Command *command;
} Arguments;

#define ARGUMENTS(...)                                                                                                 \
    (Arguments)                                                                                                        \
    {                                                                                                                  \
        (int)(sizeof((char *[]){"test", __VA_ARGS__}) / sizeof(char *)), {"test", __VA_ARGS__}, &command               \
    }

/* Exit status 100 + the result; an accepted line prints its positional arguments. */
static inline void
parse(void *context)
{
    Arguments *arguments = context;
    int positional = -1;
    v = defaults;
    const OptionsResult result = options_parse(arguments->command, arguments->count, arguments->words, &positional);
    fflush(NULL);
    _exit(100 + (int)result);
}

#endif
