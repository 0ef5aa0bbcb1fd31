/* One sentence about what went wrong.
 *
 * A function that its input can refuse takes an Error * last, and returns false or NULL after error_set(). It prints
 * nothing: the caller knows whom to tell. A sentence says what was wrong, where, what was expected, what to do.
 * What no caller can handle (no memory, a broken invariant) goes through core/checked.h.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_ERROR_H
#define CORE_ERROR_H

#include <stdbool.h>

typedef struct Error {
    char text[512];
} Error;

/* Writes the sentence; one that is too long loses its middle. error may be NULL. Always returns false:
 * `return error_set(error, ...)`. */
bool error_set(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
