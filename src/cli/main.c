/* The program `rungs`: finds the command that the first words name and hands it the rest. What a command does and which
 * options it has stands in its own file (cli.h lists them).
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "core/nearest.h"
#include "core/process.h"
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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
    {"train", "mlp", command_train_mlp, "train a multi-layer perceptron on images or a table"},
    {"train", "lenet", command_train_lenet, "lecture 3: train LeNet-5, a small convolutional network, on images"},
    {"train", "vgg-small", command_train_vgg_small, "train a small VGG with batch normalisation on images"},
    {NULL, "gradcheck", command_gradcheck, "compare gradients with finite differences"},
    {NULL, "toeplitz", command_toeplitz, "lecture 3: a convolution as one matrix"},
    {NULL, "timeline", command_timeline, "lecture 7: a step of data-parallel SGD, by what is sent when"},
    {NULL, "model", command_model, "how much work is a network? its layers, parameters, multiplications, bytes"},
    {NULL, "bench", command_bench, "verify and measure: every rung of gemv or allreduce, the steps of a network (mlp)"},
    {NULL, "backends", command_backends, "what gloo, MPI and NCCL can do in PyTorch, beside what is here"},
};
enum { ENTRY_COUNT = sizeof(entries) / sizeof(entries[0]) };

static bool
in_group(const Entry *entry, const char *group)
{
    return entry->group != NULL && strcmp(entry->group, group) == 0;
}

static bool
group_exists(const char *word)
{
    for (int i = 0; i < ENTRY_COUNT; i++)
        if (in_group(&entries[i], word))
            return true;
    return false;
}

/* The commands of one group, or all of them when group is NULL. */
static void
list_commands(const char *group)
{
    for (int i = 0; i < ENTRY_COUNT; i++) {
        const Entry *entry = &entries[i];
        if (group != NULL && !in_group(entry, group))
            continue;
        char words[64];
        snprintf(words, sizeof(words), "%s%s%s", entry->group ? entry->group : "", entry->group ? " " : "",
                 entry->name);
        printf("  rungs %-18s %s\n", words, entry->summary);
    }
}

static int
help(void)
{
    printf("rungs: high-performance computing for deep learning, from one neuron up\n\nusage: rungs COMMAND "
           "[OPTION..]\n\n");
    list_commands(NULL);
    printf("\n  rungs COMMAND --help   the options of a command\n"
           "  rungs --version        which version this is\n");
    return STATUS_DONE;
}

static int
group_help(const char *group)
{
    printf("usage: rungs %s WHAT [OPTION..]\n\n", group);
    list_commands(group);
    printf("\n  rungs %s WHAT --help   the options of one of them\n", group);
    return STATUS_DONE;
}

static int
unknown_command(const char *word)
{
    Nearest nearest = nearest_to(word);
    for (int i = 0; i < ENTRY_COUNT; i++)
        nearest_offer(&nearest, entries[i].group ? entries[i].group : entries[i].name);
    if (nearest.name != NULL)
        fprintf(stderr, "rungs: there is no command '%s'; did you mean 'rungs %s'?\n", word, nearest.name);
    else
        fprintf(stderr, "rungs: there is no command '%s'; 'rungs --help' lists them\n", word);
    return STATUS_USAGE;
}

/* word is NULL when the group's second word is missing. */
static int
unknown_in_group(const char *group, const char *word)
{
    if (word == NULL) {
        fprintf(stderr, "rungs %s: a second word must say what; 'rungs %s --help' lists the choices\n", group, group);
        return STATUS_USAGE;
    }
    Nearest nearest = nearest_to(word);
    for (int i = 0; i < ENTRY_COUNT; i++)
        if (in_group(&entries[i], group))
            nearest_offer(&nearest, entries[i].name);
    if (nearest.name != NULL)
        fprintf(stderr, "rungs %s: there is no '%s'; did you mean 'rungs %s %s'?\n", group, word, group, nearest.name);
    else
        fprintf(stderr, "rungs %s: there is no '%s'; 'rungs %s --help' lists the choices\n", group, word, group);
    return STATUS_USAGE;
}

static bool
asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static int
dispatch_group(int argc, char **argv)
{
    const char *group = argv[1], *word = argc > 2 ? argv[2] : NULL;
    if (word != NULL && asks_for_help(word))
        return group_help(group);
    for (int i = 0; word != NULL && i < ENTRY_COUNT; i++)
        if (in_group(&entries[i], group) && strcmp(entries[i].name, word) == 0)
            return entries[i].run(argc - 2, argv + 2);
    return unknown_in_group(group, word);
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
        printf("rungs %s\n", RUNGS_VERSION);
        return STATUS_DONE;
    }
    if (group_exists(argv[1]))
        return dispatch_group(argc, argv);
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
