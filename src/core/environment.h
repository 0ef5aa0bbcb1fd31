/* Numbers in environment variables.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_ENVIRONMENT_H
#define CORE_ENVIRONMENT_H

#include <stdbool.h>

/* The number, from 0 to 1e9, that a variable holds; `unset` where it is unset or empty. false, and nothing is stored: it holds
 * something else. */
bool environment_number(const char *variable, double unset, double *number);

#endif
