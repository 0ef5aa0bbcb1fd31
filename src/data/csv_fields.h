/* CSV text as a sequence of fields (RFC 4180, strictly one row a line): commas between, double quotes around a field
 * that holds commas or quotes (a quote inside is written twice), LF or CR LF behind each row, the last one optional.
 * Blank lines and a byte order mark are passed over, spaces around a field do not count. What the fields mean is
 * csv_reader.h's affair.
 * SPDX-License-Identifier: MIT */
#ifndef DATA_CSV_FIELDS_H
#define DATA_CSV_FIELDS_H

#include "core/error.h"
#include <stddef.h>
#include <stdint.h>

enum { CSV_FIELD_MAX = 255 }; /* bytes of one field: class names are words */

/* Where the reading stands. It only points into the text: copy it to come back to a place. */
typedef struct CsvText {
    const char *name; /* of the file, for sentences */
    const char *at, *end;
    size_t line, column; /* of the field read last, from 1 */
    bool row_ended;      /* that field was the last of its row */
} CsvText;

typedef struct CsvField {
    const char *text; /* not terminated; between the quotes if there were any, and "" still doubled */
    size_t length;
    bool quoted;
} CsvField;

/* Refuses what is no text at all: NUL bytes. The bytes must outlive the reading. */
bool csv_text_open(CsvText *text, const char *name, const uint8_t *bytes, size_t size, Error *error);

/* Goes to the next row that is not blank. False at the end of the text. */
bool csv_text_row(CsvText *text);

/* Reads the next field of this row: call it until text->row_ended. */
bool csv_text_field(CsvText *text, CsvField *field, Error *error);

/* A decimal number, digits and e-notation: no nan, no inf, no hexadecimal, no comma for the point. */
bool csv_field_number(const CsvField *field, double *number);

/* The field's own text, for a class name: doubled quotes are single again. */
void csv_field_copy(const CsvField *field, char text[CSV_FIELD_MAX + 1]);

/* The end of a sentence about text that holds another separator than the comma, "" if it holds none. others: those to look for, of
 * ";\t ". */
const char *csv_separator_hint(const char *text, size_t length, const char *others);

/* The field as a sentence can show it: cut, and without control characters. Returns text. */
enum { CSV_SHOWN = 32 };
const char *csv_field_show(const CsvField *field, char text[CSV_SHOWN]);

#endif
