/* Writes CSV. SPDX-License-Identifier: MIT */
#include "core/csv.h"
#include "core/array.h"
#include "core/atomic_file.h"
#include "core/checked.h"
#include "core/fields.h"

#include <math.h>
#include <stdlib.h>

struct Csv {
    AtomicFile file;
    size_t columns, column; /* in the header, in this row so far */
};

/* Fields of a header, which may be quoted. */
static size_t
count_fields(const char *row)
{
    size_t count = 1;
    bool quoted = false;
    for (; *row; row++) {
        if (*row == '"')
            quoted = !quoted;
        count += *row == ',' && !quoted;
    }
    return count;
}

Csv *
csv_create(const char *path, const char *header, Error *error)
{
    AtomicFile file;
    if (!atomic_open(&file, path, error))
        return NULL;
    Csv *csv = ARRAY(Csv, 1);
    csv->file = file;
    csv->columns = count_fields(header);
    fprintf(file.stream, "%s\n", header);
    return csv;
}

/* Begins the next field. */
static FILE *
next_field(Csv *csv)
{
    CHECK_THAT(csv->column < csv->columns, "a row of %s has more than the %zu fields of its header", csv->file.path,
               csv->columns);
    if (csv->column++ > 0)
        fputc(',', csv->file.stream);
    return csv->file.stream;
}

void
csv_text(Csv *csv, const char *text)
{
    FILE *out = next_field(csv);
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out); /* a quote is doubled */
        fputc(*text, out);
    }
    fputc('"', out);
}

void
csv_number(Csv *csv, double number)
{
    char text[32];
    int digits = 1;
    do
        snprintf(text, sizeof(text), "%.*g", digits, number);
    while (digits++ < 17 && strtod(text, NULL) != number);
    fputs(isnan(number) ? "nan" : text, next_field(csv));
}

void
csv_integer(Csv *csv, long long number)
{
    fprintf(next_field(csv), "%lld", number);
}

void
csv_add(Csv *csv, const char *format, ...)
{
    Field field;
    va_list arguments;
    va_start(arguments, format);
    while (field_next(&field, &format, &arguments))
        if (field.kind == 'd')
            csv_integer(csv, field.integer);
        else if (field.kind == 'g')
            csv_number(csv, field.number);
        else
            csv_text(csv, field.text);
    va_end(arguments);
    if (strchr(format, '\n') != NULL)
        csv_end_row(csv);
}

void
csv_end_row(Csv *csv)
{
    CHECK_THAT(csv->column == csv->columns, "a row of %s has %zu fields, its header %zu", csv->file.path, csv->column,
               csv->columns);
    fputc('\n', csv->file.stream);
    csv->column = 0;
}

bool
csv_close(Csv *csv, Error *error)
{
    if (!csv)
        return true;
    CHECK_THAT(csv->column == 0, "the last row of %s was not ended", csv->file.path);
    const bool done = atomic_commit(&csv->file, error);
    array_free(csv);
    return done;
}
