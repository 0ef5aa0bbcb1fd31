/* The end of a program whose call failed: one message, and no rank left waiting.
 * SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "core/process.h"

#include <stdarg.h>
#include <stdio.h>

void (*checked_unsolved_hook)(const char *exercise, const char *file, int line);

/* Writes "rungs: " or "rungs: rank 2: " into text. */
static void
name_process(char *text, size_t size)
{
    if (process_count() > 1)
        snprintf(text, size, "rungs: rank %d: ", process_rank());
    else
        snprintf(text, size, "rungs: ");
}

void
checked_fail(const char *file, int line, const char *call, const char *format, ...)
{
    char process[48], reason[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof(reason), format, arguments);
    va_end(arguments);
    name_process(process, sizeof(process));
    /* One call, so that the lines of several ranks do not mix. */
    fprintf(stderr, "%s%s:%d: %s: %s\n", process, file, line, call, reason);
    process_abort(1);
}

void
checked_unsolved(const char *exercise, const char *file, int line)
{
    if (checked_unsolved_hook)
        checked_unsolved_hook(exercise, file, line);
    char process[48];
    name_process(process, sizeof(process));
    fprintf(stderr, "%sexercise %s is not solved yet: write your lines at %s:%d\n", process, exercise, file, line);
    process_abort(1);
}
