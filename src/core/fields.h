/* The arguments of a variadic function, described as for printf, so that the compiler checks them: "epochs %d, loss %g, data %s"
 * are three fields with their names. For csv_add and json_add.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_FIELDS_H
#define CORE_FIELDS_H

#include <stdarg.h>
#include <stdbool.h>

typedef struct Field {
    char name[48];     /* the word before the %; "" if there is none */
    char kind;         /* which of the three: 's', 'd' or 'g' */
    const char *text;  /* %s */
    long long integer; /* %d, %u, with l, ll or z */
    double number;     /* %g, %f */
} Field;

/* The next one, and moves on; false after the last. */
bool field_next(Field *field, const char **format, va_list *arguments);

#endif
