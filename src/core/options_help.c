/* The text of --help, from the same table that parses.
 * SPDX-License-Identifier: MIT */
#include "core/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum { TEXT_SIZE = 1024, MARGIN_MAX = 30 };

/* Columns to fill: those of the terminal, between 80 and 100. */
static int
text_width(FILE *out)
{
    struct winsize size = {0};
    const char *columns = getenv("COLUMNS");
    int width = columns ? atoi(columns) : 0;
    if (width == 0 && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    return width < 80 ? 80 : width > 100 ? 100 : width;
}

/* "--epochs N", "--[no-]shuffle", "--kernels naive|best". */
static void
describe_usage(const Option *option, char *text, size_t size)
{
    const char *argument = option->argument && *option->argument ? option->argument : "VALUE";
    if (option->kind == OPTION_FLAG)
        snprintf(text, size, "--[no-]%s", option->name);
    else if (option->kind == OPTION_CHOICE)
        snprintf(text, size, "--%s %s", option->name, option->choices);
    else
        snprintf(text, size, "--%s %s", option->name, argument);
}

static void
print_ints(const IntList *list, char *text, size_t size)
{
    *text = '\0';
    for (int i = 0; i < list->count; i++) {
        const size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%d", i ? "," : "", list->values[i]);
    }
}

/* In the largest unit that divides it, as one would type it. */
static void
print_bytes(uint64_t bytes, char *text, size_t size)
{
    static const char *const names[] = {"GB", "GiB", "MB", "MiB", "kB", "KiB"};
    static const uint64_t units[] = {1000000000, 1 << 30, 1000000, 1 << 20, 1000, 1 << 10};
    for (int i = 0; i < 6; i++)
        if (bytes > 0 && bytes % units[i] == 0) {
            snprintf(text, size, "%" PRIu64 "%s", bytes / units[i], names[i]);
            return;
        }
    snprintf(text, size, "%" PRIu64, bytes);
}

/* The value that the variable has now, "" if none. */
static void
describe_default(const Option *option, char *text, size_t size)
{
    const char *string = NULL;
    *text = '\0';
    switch (option->kind) {
    case OPTION_FLAG:
        snprintf(text, size, "%s", *(bool *)option->value ? "yes" : "no");
        break;
    case OPTION_INT:
        snprintf(text, size, "%d", *(int *)option->value);
        break;
    case OPTION_SIZE:
        snprintf(text, size, "%" PRIu64, *(uint64_t *)option->value);
        break;
    case OPTION_BYTES:
        print_bytes(*(uint64_t *)option->value, text, size);
        break;
    case OPTION_DOUBLE:
        snprintf(text, size, "%g", *(double *)option->value);
        break;
    case OPTION_STRING:
    case OPTION_CHOICE:
        string = *(const char **)option->value;
        snprintf(text, size, "%s", string ? string : "");
        break;
    case OPTION_STRINGS:
        text[0] = '\0';
        break;
    case OPTION_INTS:
        print_ints(option->value, text, size);
        break;
    }
}

/* The help, and in parentheses the range and the default: "passes over the data (1 to 100; default 20)". */
static void
describe_option(const Option *option, char *text, size_t size)
{
    char range[80] = "", value[400];
    if ((option->min != 0 || option->max != 0) && option->max >= 1e9)
        snprintf(range, sizeof(range), "at least %g", option->min);
    else if (option->min != 0 || option->max != 0)
        snprintf(range, sizeof(range), "%.10g to %.10g", option->min, option->max);
    describe_default(option, value, sizeof(value));
    const char *both = *range && *value ? "; " : "";
    if (*range || *value)
        snprintf(text, size, "%s (%s%s%s%s)", option->help, range, both, *value ? "default " : "", value);
    else
        snprintf(text, size, "%s", option->help);
}

/* Prints text by words between the columns margin and width; the cursor stands at the margin. */
static void
print_wrapped(FILE *out, const char *text, int margin, int width)
{
    int column = margin;
    while (*(text += strspn(text, " "))) {
        const int length = (int)strcspn(text, " ");
        if (column > margin && column + 1 + length > width) {
            fprintf(out, "\n%*s", margin, "");
            column = margin;
        }
        column += fprintf(out, "%s%.*s", column > margin ? " " : "", length, text);
        text += length;
    }
    fputc('\n', out);
}

/* "  --epochs N   passes ..": one option; a long usage has a line of its own. */
static void
print_option(FILE *out, const char *usage, const char *text, int margin, int width)
{
    const int used = fprintf(out, "  %s", usage);
    if (used + 2 > margin)
        fprintf(out, "\n%*s", margin, "");
    else
        fprintf(out, "%*s", margin - used, "");
    print_wrapped(out, text, margin, width);
}

void
options_help(const Command *command, FILE *out)
{
    char usage[200], text[TEXT_SIZE];
    const int width = text_width(out);
    int margin = (int)strlen("  --help  ");
    for (const Option *option = command->options; option->name; option++) {
        describe_usage(option, usage, sizeof(usage));
        const int own = (int)strlen(usage) + 4;
        if (own > margin && own <= MARGIN_MAX)
            margin = own;
    }
    const char *positional = command->positional ? command->positional : "";
    fprintf(out, "usage: %s [options]%s%s\n\n", command->name, *positional ? " " : "", positional);
    print_wrapped(out, command->summary, 0, width);
    fputs("\noptions:\n", out);
    for (const Option *option = command->options; option->name; option++) {
        describe_usage(option, usage, sizeof(usage));
        describe_option(option, text, sizeof(text));
        print_option(out, usage, text, margin, width);
    }
    print_option(out, "--help", "show this text", margin, width);
    if (command->notes)
        fprintf(out, "\n%s%s", command->notes, command->notes[strlen(command->notes) - 1] == '\n' ? "" : "\n");
}
