/* See fields.h. SPDX-License-Identifier: MIT */
#include "core/fields.h"
#include "core/checked.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

bool
field_next(Field *field, const char **format, va_list *arguments)
{
    const char *name = *format + strspn(*format, " ,"), *percent = strchr(name, '%');
    if (percent == NULL)
        return false;
    const size_t named = strcspn(name, " %"), length = strspn(percent + 1, "lz");
    const char kind = percent[1 + length];
    *field = (Field){.kind = 's'};
    snprintf(field->name, sizeof field->name, "%.*s", (int)named, name);
    if (kind == 's')
        field->text = va_arg(*arguments, const char *);
    else if (kind == 'g' || kind == 'f')
        field->kind = 'g', field->number = va_arg(*arguments, double);
    else
        field->kind = 'd';
    if (field->kind == 'd' && length == 0)
        field->integer = kind == 'u' ? (long long)va_arg(*arguments, unsigned) : va_arg(*arguments, int);
    else if (field->kind == 'd')
        field->integer = percent[1] == 'z' ? (long long)va_arg(*arguments, size_t)
                         : length == 1     ? va_arg(*arguments, long)
                                           : va_arg(*arguments, long long);
    *format = percent + 1 + length + 1;
    return true;
}
