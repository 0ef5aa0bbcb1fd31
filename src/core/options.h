/* Command-line options from a table, and the --help text made from the same table.
 *
 *     static struct { int epochs; const char *data; } o = { 20, "digits" };
 *     static const Option options[] = {
 *         { "epochs", OPTION_INT, &o.epochs, "N", "passes over the training data", .min = 1, .max = 1e6 },
 *         { "data", OPTION_STRING, &o.data, "SET", "digits, iris, or a file" },
 *         { 0 } };
 *     static const Command command = { "rungs train mlp", "", "train a multi-layer perceptron", options };
 *
 * Accepted: --name value, --name=value, --flag, --no-flag; `--` ends the options. The value that a variable has before
 * parsing is its default and is shown in the help.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_OPTIONS_H
#define CORE_OPTIONS_H

#include "core/error.h"
#include <stdbool.h>
#include <stdio.h>

typedef enum OptionKind {
    OPTION_FLAG,    /* bool * */
    OPTION_INT,     /* int *, between min and max */
    OPTION_SIZE,    /* uint64_t *: a count or seed; k, M, G, Ki, Mi, Gi may follow */
    OPTION_BYTES,   /* uint64_t *: the same in bytes, where a B may follow: 25MB is 25 000 000, 25MiB is 26 214 400 */
    OPTION_DOUBLE,  /* double *, between min and max */
    OPTION_STRING,  /* const char **, points into argv */
    OPTION_OUTPUT,  /* the same, a file that is written; NULL: not wanted */
    OPTION_FIGURE,  /* the same, which gnuplot draws */
    OPTION_CHOICE,  /* const char **, one of choices */
    OPTION_STRINGS, /* StringList *: may be given several times */
    OPTION_INTS,    /* IntList *: "64,32"; each between min and max; "" is an empty list */
} OptionKind;

enum { OPTION_LIST_MAX = 64 };
typedef struct IntList {
    int count;
    int values[OPTION_LIST_MAX];
} IntList;

typedef struct StringList {
    int count;
    const char *values[OPTION_LIST_MAX]; /* point into argv */
} StringList;

typedef struct Option {
    const char *name; /* without the dashes; NULL ends the table */
    OptionKind kind;
    void *value;
    const char *argument; /* how the help names the value: "N", "FILE" */
    const char *help;
    const char *choices; /* OPTION_CHOICE: "naive|best" */
    double min, max;     /* both 0: any value */
} Option;

typedef struct Command {
    const char *name;       /* "rungs train mlp" */
    const char *positional; /* "", "NAME", "[FILE..]": shown in the usage line */
    const char *summary;    /* one line */
    const Option *options;
    const char *notes; /* printed after the options, may be NULL: examples, formats */
    int min_positional, max_positional;
} Command;

typedef enum OptionsResult {
    OPTIONS_OK,
    OPTIONS_HELP, /* --help was printed on stdout: exit with 0 */
    OPTIONS_WRONG /* one sentence was printed on stderr: exit with 2 */
} OptionsResult;

/* Parses argv[1 .. argc-1]. The positional arguments are moved to argv[1 .. *positional] in their order. A wrong option
 * gets one sentence with the nearest right name. */
OptionsResult options_parse(const Command *command, int argc, char **argv, int *positional);

/* Whether the option was typed, as --name, --name=.. or --no-name. For arguments that options_parse has found OK and, as it
 * moves positional ones, for commands without these. */
bool options_given(int argc, char **argv, const char *name);

/* The value that the option has, as one would type it: "64,32"; "yes" and "no" of a flag; "" of a string that is NULL. A number has
 * the digits that read back as the same double. Into text[size]; returns text. */
const char *option_text(const Option *option, char *text, size_t size);

/* Gives it the value that such a text stands for. A string is not copied. */
bool option_set(const Option *option, const char *text, Error *error);

/* Which of the choices "naive|best" this is, from 0 on; -1: none of them. */
int option_choice(const char *choices, const char *text);

/* The text of --help. */
void options_help(const Command *command, FILE *out);

#endif
