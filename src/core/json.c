/* JSON through cJSON. SPDX-License-Identifier: MIT */
#include "core/json.h"
#include "core/array.h"
#include "core/atomic_file.h"
#include "core/checked.h"
#include "core/clock.h"
#include "core/fields.h"
#include "core/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { LIMIT = 64 << 20 }; /* bytes: a result or checkpoint header is far smaller, so more is a wrong file */

bool
json_write(const char *path, const cJSON *json, Error *error)
{
    char *text = cJSON_Print(json);
    if (!text)
        return error_set(error, "cannot write %s: what should be written is not valid JSON", path);
    AtomicFile file;
    const bool opened = atomic_open(&file, path, error);
    if (opened) {
        fputs(text, file.stream);
        fputc('\n', file.stream);
    }
    free(text);
    return opened && atomic_commit(&file, error);
}

/* The whole file and a NUL behind it, for free(). NULL with a sentence. */
static char *
read_text(const char *path, size_t *length, Error *error)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (!file || fstat(fileno(file), &status) != 0) {
        error_set(error, "cannot open %s: %s", path, strerror(errno));
        if (file)
            fclose(file);
        return NULL;
    }
    /* One byte more than is expected tells whether the file is longer. */
    const size_t size = S_ISREG(status.st_mode) && status.st_size < LIMIT ? (size_t)status.st_size : LIMIT;
    char *text = NULL;
    CHECK_POINTER(text = malloc(size + 2));
    *length = fread(text, 1, size + 1, file);
    const bool failed = ferror(file);
    fclose(file);
    if (!failed && *length <= size && *length > 0) {
        text[*length] = '\0';
        return text;
    }
    if (S_ISDIR(status.st_mode) || failed)
        error_set(error, "cannot read %s: %s", path, S_ISDIR(status.st_mode) ? "it is a folder" : "reading failed");
    else if (*length == 0)
        error_set(error, "%s is empty; JSON was expected", path);
    else
        error_set(error, "%s is longer than %d MiB, which no JSON file of this program is", path, LIMIT >> 20);
    free(text);
    return NULL;
}

/* "line 3, column 14" of the place where the parser stopped. */
static void
refuse(const char *path, const char *text, const char *stop, Error *error)
{
    size_t line = 1;
    const char *start = text;
    for (const char *c = text; c < stop; c++) {
        if (*c == '\n') {
            line++;
            start = c + 1;
        }
    }
    error_set(error, "%s, line %zu, column %zu: not valid JSON from here on; is the file complete?", path, line,
              (size_t)(stop - start) + 1);
}

cJSON *
json_read(const char *path, Error *error)
{
    size_t length = 0;
    char *text = read_text(path, &length, error);
    if (!text)
        return NULL;
    cJSON *json = NULL;
    if (strlen(text) != length) {
        error_set(error, "%s is not text: it has a zero byte at %zu; JSON was expected", path, strlen(text));
    } else {
        const char *stop = text;
        json = cJSON_ParseWithLengthOpts(text, length + 1, &stop, true);
        if (!json)
            refuse(path, text, stop ? stop : text, error);
    }
    free(text);
    return json;
}

void
json_add(cJSON *object, const char *format, ...)
{
    Field field;
    va_list arguments;
    va_start(arguments, format);
    while (field_next(&field, &format, &arguments))
        if (field.kind != 's')
            cJSON_AddNumberToObject(object, field.name, field.kind == 'd' ? (double)field.integer : field.number);
        else
            cJSON_AddStringToObject(object, field.name, field.text);
    va_end(arguments);
}

cJSON *
json_doubles(const double *x, size_t n)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < n; i++)
        cJSON_AddItemToArray(array, cJSON_CreateNumber(x[i]));
    return array;
}

cJSON *
json_host(void)
{
    const Host *host = host_get();
    char date[32];
    clock_date(date);
    cJSON *json = cJSON_CreateObject();
    json_add(json, "date %s, processor %s, cores %d, threads %d, memory_bytes %g", date, host->processor, host->cores,
             host_threads(), (double)host->memory);
    json_add(cJSON_AddObjectToObject(json, "cache_bytes"), "L1 %g, L2 %g, L3 %g", (double)host->cache[1],
             (double)host->cache[2], (double)host->cache[3]);
    json_add(json, "vector_bits %d, system %s, compiler %s", host->vector_bits, host->system, host->compiler);
#ifdef RUNGS_FLAGS
    json_add(json, "flags %s", RUNGS_FLAGS);
#endif
    json_add(json, "openmp %d, mpi %s", host->openmp, host->mpi);
    return json;
}
