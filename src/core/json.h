/* JSON through cJSON: what every result file holds, and how it is written.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_JSON_H
#define CORE_JSON_H

#include "core/error.h"
#include <cjson/cJSON.h>
#include <stddef.h>

/* Writes the tree, indented, atomically. NaN and infinities become null (JSON has no word for them);
 * cJSON may round a double in its last bit. */
bool json_write(const char *path, const cJSON *json, Error *error);

/* Reads a whole file; at most 64 MiB. The caller frees with cJSON_Delete. NULL with a sentence on bad input. */
cJSON *json_read(const char *path, Error *error);

/* Several members, in the format of printf: json_add(json, "epochs %d, loss %g, data %s", ..). */
void json_add(cJSON *object, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An array of numbers. */
cJSON *json_doubles(const double *x, size_t n);

/* The machine and this build: processor, cores, memory, compiler, flags, libraries, date. */
cJSON *json_host(void);

#endif
