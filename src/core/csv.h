/* Writes CSV (RFC 4180): a header row, then rows of the same width; fields with commas, quotes or newlines are quoted, lines end
 * with \n alone. The file appears whole at csv_close. Reading is data/csv_reader.h's.
 * SPDX-License-Identifier: MIT */
#ifndef CORE_CSV_H
#define CORE_CSV_H

#include "core/error.h"

typedef struct Csv Csv;

/* header: "rung,size,seconds". Returns NULL with a sentence if the file cannot be made. */
Csv *csv_create(const char *path, const char *header, Error *error);
void csv_text(Csv *csv, const char *text);
void csv_number(Csv *csv, double number); /* shortest digits that read back as the same double; "nan", "inf" */
void csv_integer(Csv *csv, long long number);

/* Several fields, in the format of printf: csv_add(csv, "%s %d %g\n", ..), where \n ends the row. Numbers as above. */
void csv_add(Csv *csv, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ends the row; it must be as wide as the header. */
void csv_end_row(Csv *csv);

/* Commits the file and frees csv. NULL is allowed (returns true). */
bool csv_close(Csv *csv, Error *error);

#endif
