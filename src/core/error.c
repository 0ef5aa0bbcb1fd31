/* One sentence about what went wrong.
 * SPDX-License-Identifier: MIT */
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Copies a sentence that is too long without its middle: it ends with the reason, and what makes it long is mostly the path
 * of a file before that. */
static void
copy_shortened(char *to, size_t size, const char *text, size_t length)
{
    static const char gap[] = " [...] ";
    const size_t begin = (size - sizeof(gap)) / 2, end = size - sizeof(gap) - begin;
    memcpy(to, text, begin);
    memcpy(to + begin, gap, sizeof(gap) - 1);
    memcpy(to + begin + sizeof(gap) - 1, text + length - end, end + 1);
}

bool
error_set(Error *error, const char *format, ...)
{
    if (error) {
        /* Through a buffer of its own, because an argument may be the old text: error_set(e, "line 3: %s", e->text). */
        char text[16 * sizeof(error->text)];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof(text), format, arguments);
        va_end(arguments);
        const size_t length = strlen(text);
        if (length < sizeof(error->text))
            memcpy(error->text, text, length + 1);
        else
            copy_shortened(error->text, sizeof(error->text), text, length);
    }
    return false;
}
