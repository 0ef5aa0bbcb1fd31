/* SPDX-License-Identifier: MIT */
#include "core/environment.h"
#include <stdlib.h>

bool
environment_number(const char *variable, double unset, double *number)
{
    const char *text = getenv(variable);
    if (text == NULL || *text == '\0') {
        *number = unset;
        return true;
    }
    char *end = NULL;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= 0 && value < 1e9))
        return false;
    *number = value;
    return true;
}
