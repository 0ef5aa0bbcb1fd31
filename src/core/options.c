/* Parses the command line by its table. The help is options_help.c's.
 * SPDX-License-Identifier: MIT */
#include "core/options.h"
#include "core/nearest.h"
#include "core/process.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ------------------------------------------------------------------------------------------- */

static bool
has_range(const Option *option)
{
    return option->min != 0 || option->max != 0;
}

static bool
check_range(const Option *option, double value, Error *error)
{
    if (!has_range(option) || (value >= option->min && value <= option->max))
        return true;
    return error_set(error, "--%s: %.15g is out of range; expected %.15g to %.15g", option->name, value, option->min,
                     option->max);
}

/* strtol and its like skip blanks and read "inf" and "0x10"; here a number is digits. */
static bool
looks_like_number(const char *text, const char *allowed)
{
    return *text && strspn(text, allowed) == strlen(text);
}

/* One integer: text[0 .. length-1]. */
static bool
parse_int(const Option *option, const char *text, size_t length, int *value, Error *error)
{
    char digits[32] = "";
    if (length < sizeof(digits))
        memcpy(digits, text, length);
    char *end = digits;
    errno = 0;
    const long long number = strtoll(digits, &end, 10);
    if (!looks_like_number(digits, "+-0123456789") || *end || end == digits)
        return error_set(error, "--%s: \"%.*s\" is not a whole number", option->name, (int)length, text);
    if (errno || number < INT_MIN || number > INT_MAX)
        return error_set(error, "--%s: %s does not fit into an int (%d to %d)", option->name, digits, INT_MIN, INT_MAX);
    *value = (int)number;
    return check_range(option, (double)number, error);
}

static bool
parse_ints(const Option *option, const char *text, IntList *list, Error *error)
{
    list->count = 0;
    for (const char *item = text; *text; item++) {
        const size_t length = strcspn(item, ",");
        if (list->count == OPTION_LIST_MAX)
            return error_set(error, "--%s: more than %d numbers", option->name, OPTION_LIST_MAX);
        if (!parse_int(option, item, length, &list->values[list->count++], error))
            return false;
        item += length;
        if (!*item)
            break;
    }
    return true;
}

/* What k, M, G (powers of 1000) and Ki, Mi, Gi (of 1024) multiply by; 0 for anything else. */
static uint64_t
suffix_factor(const char *suffix, size_t length)
{
    static const char *const names[] = {"", "k", "M", "G", "Ki", "Mi", "Gi"};
    static const uint64_t factors[] = {1, 1000, 1000000, 1000000000, 1 << 10, 1 << 20, 1 << 30};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i]) == length && strncmp(suffix, names[i], length) == 0)
            return factors[i];
    return 0;
}

static bool
parse_size(const Option *option, const char *text, uint64_t *value, Error *error)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    const bool bytes = option->kind == OPTION_BYTES;
    size_t length = strlen(end);
    if (bytes && length > 0 && end[length - 1] == 'B')
        length--;
    const uint64_t factor = suffix_factor(end, length);
    if (*text < '0' || *text > '9' || factor == 0)
        return error_set(error, "--%s: \"%s\" is not a %s; expected digits, and %s if you like", option->name, text,
                         bytes ? "number of bytes" : "count",
                         bytes ? "kB, MB, GB, KiB, MiB or GiB" : "k, M, G, Ki, Mi or Gi");
    uint64_t product = 0;
    if (errno || __builtin_mul_overflow((uint64_t)number, factor, &product))
        return error_set(error, "--%s: %s is more than 64 bits hold", option->name, text);
    *value = product;
    return check_range(option, (double)product, error);
}

static bool
parse_double(const Option *option, const char *text, double *value, Error *error)
{
    char *end = NULL;
    const double number = strtod(text, &end);
    if (!looks_like_number(text, "+-.eE0123456789") || *end)
        return error_set(error, "--%s: \"%s\" is not a number", option->name, text);
    if (!isfinite(number))
        return error_set(error, "--%s: %s is more than a double holds", option->name, text);
    *value = number;
    return check_range(option, number, error);
}

int
option_choice(const char *choices, const char *text)
{
    const size_t own = strlen(text);
    for (int i = 0;; i++) {
        const size_t length = strcspn(choices, "|");
        if (length == own && strncmp(choices, text, own) == 0)
            return i;
        if (choices[length] == '\0')
            return -1;
        choices += length + 1;
    }
}

static bool
parse_choice(const Option *option, const char *text, const char **value, Error *error)
{
    const bool found = option_choice(option->choices, text) >= 0;
    char *names = strdup(option->choices), *rest = names;
    Nearest nearest = nearest_to(text);
    for (char *name; names && !found && (name = strsep(&rest, "|"));)
        nearest_offer(&nearest, name);
    if (found)
        *value = text;
    else if (nearest.name)
        error_set(error, "--%s: \"%s\" is not one of %s; did you mean %s?", option->name, text, option->choices,
                  nearest.name);
    else
        error_set(error, "--%s: \"%s\" is not one of %s", option->name, text, option->choices);
    free(names);
    return found;
}

static bool
add_string(const Option *option, const char *text, StringList *list, Error *error)
{
    if (list->count == OPTION_LIST_MAX)
        return error_set(error, "--%s may be given %d times at most", option->name, OPTION_LIST_MAX);
    list->values[list->count++] = text;
    return true;
}

static bool
parse_value(const Option *option, const char *text, Error *error)
{
    switch (option->kind) {
    case OPTION_INT:
        return parse_int(option, text, strlen(text), option->value, error);
    case OPTION_INTS:
        return parse_ints(option, text, option->value, error);
    case OPTION_SIZE:
    case OPTION_BYTES:
        return parse_size(option, text, option->value, error);
    case OPTION_DOUBLE:
        return parse_double(option, text, option->value, error);
    case OPTION_CHOICE:
        return parse_choice(option, text, option->value, error);
    case OPTION_STRING:
    case OPTION_OUTPUT:
    case OPTION_FIGURE:
        *(const char **)option->value = text;
        return true;
    case OPTION_STRINGS:
        return add_string(option, text, option->value, error);
    case OPTION_FLAG:
        break;
    }
    return error_set(error, "--%s takes no value; write --%s or --no-%s", option->name, option->name, option->name);
}

bool
option_set(const Option *option, const char *text, Error *error)
{
    const int yes = option->kind == OPTION_FLAG ? option_choice("no|yes", text) : -1;
    if (yes < 0)
        return parse_value(option, text, error);
    *(bool *)option->value = yes;
    return true;
}

static void
ints_text(const IntList *list, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < list->count; i++) {
        const size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%d", i ? "," : "", list->values[i]);
    }
}

const char *
option_text(const Option *option, char *text, size_t size)
{
    const char *string;
    switch (option->kind) {
    case OPTION_FLAG:
        snprintf(text, size, "%s", *(bool *)option->value ? "yes" : "no");
        break;
    case OPTION_INT:
        snprintf(text, size, "%d", *(int *)option->value);
        break;
    case OPTION_SIZE:
    case OPTION_BYTES:
        snprintf(text, size, "%" PRIu64, *(uint64_t *)option->value);
        break;
    case OPTION_DOUBLE:
        snprintf(text, size, "%.15g", *(double *)option->value);
        if (strtod(text, NULL) != *(double *)option->value)
            snprintf(text, size, "%.17g", *(double *)option->value);
        break;
    case OPTION_STRING:
    case OPTION_OUTPUT:
    case OPTION_FIGURE:
    case OPTION_CHOICE:
        string = *(const char **)option->value;
        snprintf(text, size, "%s", string ? string : "");
        break;
    case OPTION_INTS:
        ints_text(option->value, text, size);
        break;
    case OPTION_STRINGS:
        text[0] = '\0';
        break;
    }
    return text;
}

/* ---- arguments ---------------------------------------------------------------------------------------- */

/* The option called name[0 .. length-1]; "no-NAME" is NAME if that is a flag. */
static const Option *
find_option(const Option *options, const char *name, size_t length, bool *negated)
{
    for (const Option *option = options; option->name; option++) {
        const size_t own = strlen(option->name);
        *negated = option->kind == OPTION_FLAG && length == own + 3 && strncmp(name, "no-", 3) == 0;
        if ((length == own || *negated) && strncmp(name + (*negated ? 3 : 0), option->name, own) == 0)
            return option;
    }
    return NULL;
}

static bool
unknown_option(const Command *command, const char *argument, Error *error)
{
    char name[NEAREST_LENGTH + 1];
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(argument + strspn(argument, "-"), "="),
             argument + strspn(argument, "-"));
    Nearest nearest = nearest_to(name);
    for (const Option *option = command->options; option->name; option++)
        nearest_offer(&nearest, option->name);
    nearest_offer(&nearest, "help");
    if (nearest.name)
        return error_set(error, "there is no option %s; did you mean --%s?", argument, nearest.name);
    return error_set(error, "there is no option %s; --help lists the options", argument);
}

/* Takes the option at argv[i]; *used is how many arguments it took. */
static bool
take_option(const Command *command, char **argv, int i, int argc, int *used, Error *error)
{
    const char *name = argv[i] + 2;
    const size_t length = strcspn(name, "=");
    bool negated = false;
    const Option *option =
        strncmp(argv[i], "--", 2) == 0 ? find_option(command->options, name, length, &negated) : NULL;
    *used = 1;
    if (!option)
        return unknown_option(command, argv[i], error);
    if (name[length] == '=')
        return parse_value(option, name + length + 1, error);
    if (option->kind == OPTION_FLAG) {
        *(bool *)option->value = !negated;
        return true;
    }
    if (i + 1 >= argc || strncmp(argv[i + 1], "--", 2) == 0)
        return error_set(error, "--%s needs a value: --%s %s", option->name, option->name,
                         option->argument ? option->argument : "VALUE");
    *used = 2;
    return parse_value(option, argv[i + 1], error);
}

/* "-" and negative numbers are positional. */
static bool
is_option(const char *argument)
{
    return argument[0] == '-' && argument[1] && !strchr(".0123456789", argument[1]);
}

static bool
wants_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static bool
check_positional(const Command *command, int count, char **argv, Error *error)
{
    if (count > command->max_positional)
        return error_set(error, "unexpected argument \"%s\"; %s --help shows what is expected",
                         argv[1 + command->max_positional], command->name);
    if (count < command->min_positional)
        return error_set(error, "an argument is missing; expected: %s %s", command->name, command->positional);
    return true;
}

static bool
parse(const Command *command, int argc, char **argv, int *positional, Error *error)
{
    int count = 0, used = 1;
    bool ended = false; /* by "--" */
    for (int i = 1; i < argc; i += used) {
        used = 1;
        if (!ended && strcmp(argv[i], "--") == 0) {
            ended = true;
        } else if (!ended && is_option(argv[i])) {
            if (!take_option(command, argv, i, argc, &used, error))
                return false;
        } else {
            argv[1 + count++] = argv[i];
        }
    }
    *positional = count;
    return check_positional(command, count, argv, error);
}

bool
options_given(int argc, char **argv, const char *name)
{
    const size_t length = strlen(name);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--", 2) != 0)
            continue;
        const char *typed = argv[i] + (strncmp(argv[i], "--no-", 5) == 0 ? 5 : 2);
        if (strncmp(typed, name, length) == 0 && (typed[length] == '=' || typed[length] == '\0'))
            return true;
    }
    return false;
}

OptionsResult
options_parse(const Command *command, int argc, char **argv, int *positional)
{
    Error error;
    *positional = 0;
    if (wants_help(argc, argv)) {
        if (process_rank() == 0)
            options_help(command, stdout);
        return OPTIONS_HELP;
    }
    if (parse(command, argc, argv, positional, &error))
        return OPTIONS_OK;
    if (process_rank() == 0)
        fprintf(stderr, "%s: %s\n", command->name, error.text);
    return OPTIONS_WRONG;
}
