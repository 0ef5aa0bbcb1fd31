/* The program `rungs`: finds the command that the first words name and hands it the rest. What a command does and which
 * options it has stands in its own file (cli.h lists them).
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "core/nearest.h"
#include "core/process.h"
#include "core/variants.h"
#include "nn/models/models.h"
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* `rungs train NAME` also takes every model of nn/models. */
typedef struct Entry {
    const char *group; /* first word of a two-word command: "train"; NULL for one word */
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} Entry;

static const Entry entries[] = {
    {NULL, "doctor", command_doctor, "say what this machine has and what is missing"},
    {"train", "perceptron", command_train_perceptron, "lecture 1: Rosenblatt's perceptron on two kinds of iris"},
    {"train", "xor", command_train_xor, "lecture 2: what one neuron cannot learn and two layers can"},
    {NULL, "gradcheck", command_gradcheck, "compare gradients with finite differences"},
    {NULL, "toeplitz", command_toeplitz, "lecture 3: a convolution as one matrix"},
    {NULL, "timeline", command_timeline, "lecture 7: a step of data-parallel SGD, by what is sent when"},
    {NULL, "schedule", command_schedule, "schedules of a pipeline: drawn, checked, simulated, compared"},
    {NULL, "model", command_model, "how much work is a network? its layers, parameters, multiplications, bytes"},
    {NULL, "bench", command_bench, "verify and measure: every rung of gemv or allreduce, the steps of a network (mlp)"},
    {NULL, "backends", command_backends, "what gloo, MPI and NCCL can do in PyTorch, beside what is here"},
};
enum { ENTRY_COUNT = sizeof(entries) / sizeof(entries[0]) };

static const char TRAIN[] = "train";

static bool
in_group(const Entry *entry, const char *group)
{
    return entry->group != NULL && strcmp(entry->group, group) == 0;
}

static void
list_command(const char *group, const char *name, const char *summary)
{
    char words[64];
    snprintf(words, sizeof(words), "%s%s%s", group ? group : "", group ? " " : "", name);
    printf("  rungs %-27s %s\n", words, summary);
}

static void
list_models(void)
{
    int count;
    const Model *model = models(&count);
    for (int i = 0; i < count; i++)
        list_command(TRAIN, model[i].name, model[i].summary);
}

static void
list_commands(const char *group)
{
    for (int i = 0; i < ENTRY_COUNT; i++)
        if (group == NULL || in_group(&entries[i], group))
            list_command(entries[i].group, entries[i].name, entries[i].summary);
    if (group != NULL)
        list_models();
}

static int
help(void)
{
    printf("rungs: high-performance computing for deep learning, from one neuron up\n\nusage: rungs COMMAND "
           "[OPTION..]\n\n");
    list_commands(NULL);
    printf("  rungs train NETWORK               train mlp, lenet, resnet50 or another network: 'rungs train --help' "
           "lists them\n");
    printf("\n  rungs COMMAND --help   the options of a command\n"
           "  rungs --version        which version this is\n");
    return STATUS_DONE;
}

static int
train_help(void)
{
    printf("usage: rungs train WHAT [OPTION..]\n\n");
    list_commands(TRAIN);
    printf("\n  rungs train WHAT --help   the options of one of them\n");
    return STATUS_DONE;
}

static int
unknown_command(const char *word)
{
    Nearest nearest = nearest_to(word);
    for (int i = 0; i < ENTRY_COUNT; i++)
        nearest_offer(&nearest, entries[i].group ? entries[i].group : entries[i].name);
    return cli_unknown("rungs", "command ", &nearest, "rungs ", "'rungs --help' lists them");
}

/* word is NULL when the second word is missing. */
static int
unknown_in_train(const char *word)
{
    if (word == NULL) {
        fprintf(stderr, "rungs train: a second word must say what; 'rungs train --help' lists the choices\n");
        return STATUS_USAGE;
    }
    int count;
    const Model *model = models(&count);
    Nearest nearest = nearest_to(word);
    for (int i = 0; i < ENTRY_COUNT; i++)
        if (in_group(&entries[i], TRAIN))
            nearest_offer(&nearest, entries[i].name);
    for (int i = 0; i < count; i++)
        nearest_offer(&nearest, model[i].name);
    return cli_unknown("rungs train", "", &nearest, "rungs train ", "'rungs train --help' lists the choices");
}

static bool
asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static int
dispatch_train(int argc, char **argv)
{
    const char *word = argc > 2 ? argv[2] : NULL;
    if (word != NULL && asks_for_help(word))
        return train_help();
    for (int i = 0; word != NULL && i < ENTRY_COUNT; i++)
        if (in_group(&entries[i], TRAIN) && strcmp(entries[i].name, word) == 0)
            return entries[i].run(argc - 2, argv + 2);
    const Model *model = word != NULL ? model_find(word) : NULL;
    return model != NULL ? command_train(model, argc - 2, argv + 2) : unknown_in_train(word);
}

static int
dispatch(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "rungs: a command is missing; 'rungs --help' lists them\n");
        return STATUS_USAGE;
    }
    if (asks_for_help(argv[1]))
        return help();
    if (strcmp(argv[1], "--version") == 0) {
        char variant[VARIANTS_TEXT_SIZE];
        printf("rungs %s (%s)\n", RUNGS_VERSION, variants_text(variant));
        return STATUS_DONE;
    }
    if (strcmp(argv[1], TRAIN) == 0)
        return dispatch_train(argc, argv);
    for (int i = 0; i < ENTRY_COUNT; i++)
        if (entries[i].group == NULL && strcmp(entries[i].name, argv[1]) == 0)
            return entries[i].run(argc - 1, argv + 1);
    return unknown_command(argv[1]);
}

/* A full disk shows itself when the last buffer is written: a lost result must not look like success. */
static int
close_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "rungs: cannot write to standard output: %s\n", strerror(errno));
    return status == STATUS_DONE ? STATUS_FAILED : status;
}

int
main(int argc, char **argv)
{
    /* `rungs ... | head` ends quietly when head has seen enough, also under parents that ignore SIGPIPE. It comes before
     * MPI starts: a library that handles broken connections itself may change it again. */
    signal(SIGPIPE, SIG_DFL);
    process_start(&argc, &argv);
    const int status = close_output(dispatch(argc, argv));
    process_stop();
    return status;
}
