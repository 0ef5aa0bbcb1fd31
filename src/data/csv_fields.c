/* CSV text as a sequence of fields: see csv_fields.h.
 * SPDX-License-Identifier: MIT */
#include "data/csv_fields.h"

#include <stdlib.h>
#include <string.h>

bool
csv_text_open(CsvText *text, const char *name, const uint8_t *bytes, size_t size, Error *error)
{
    *text = (CsvText){.name = name, .at = (const char *)bytes, .end = (const char *)bytes + size};
    const uint8_t *nul = size ? memchr(bytes, 0, size) : NULL;
    if (nul && size >= 2 && (bytes[0] ^ bytes[1]) == (0xff ^ 0xfe))
        return error_set(error, "%s: the text is UTF-16; save it as UTF-8 CSV", name);
    if (nul)
        return error_set(error, "%s: byte %zu is NUL, so this is no CSV text; was another file meant?", name,
                         (size_t)(nul - bytes));
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        text->at += 3; /* the byte order mark that spreadsheets write */
    return true;
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void
skip_blanks(CsvText *text)
{
    while (text->at < text->end && is_blank(*text->at))
        text->at++;
}

bool
csv_text_row(CsvText *text)
{
    text->column = 0;
    text->row_ended = false;
    for (text->line++;; text->line++) {
        skip_blanks(text);
        if (text->at == text->end)
            return false;
        if (*text->at != '\n')
            return true;
        text->at++;
    }
}

/* After the field: a comma, or the end of the row. */
static bool
read_separator(CsvText *text, Error *error)
{
    skip_blanks(text);
    text->row_ended = text->at == text->end || *text->at == '\n';
    if (!text->row_ended && *text->at != ',')
        return error_set(
            error, "%s:%zu: field %zu goes on behind its closing quote; put a comma there, or write the quote twice",
            text->name, text->line, text->column);
    if (text->at < text->end)
        text->at++;
    return true;
}

static bool
read_quoted(CsvText *text, CsvField *field, Error *error)
{
    field->text = ++text->at;
    for (; text->at < text->end && *text->at != '\n'; text->at++) {
        if (*text->at != '"')
            continue;
        if (text->at + 1 < text->end && text->at[1] == '"') {
            text->at++; /* "" is one quote of the text */
            continue;
        }
        field->length = (size_t)(text->at++ - field->text);
        return read_separator(text, error);
    }
    return error_set(error, "%s:%zu: the quote that opens field %zu is not closed in its line", text->name, text->line,
                     text->column);
}

static bool
read_plain(CsvText *text, CsvField *field, Error *error)
{
    field->text = text->at;
    while (text->at < text->end && *text->at != ',' && *text->at != '\n')
        text->at++;
    field->length = (size_t)(text->at - field->text);
    while (field->length > 0 && is_blank(field->text[field->length - 1]))
        field->length--;
    return read_separator(text, error);
}

bool
csv_text_field(CsvText *text, CsvField *field, Error *error)
{
    text->column++;
    skip_blanks(text);
    field->quoted = text->at < text->end && *text->at == '"';
    if (!(field->quoted ? read_quoted(text, field, error) : read_plain(text, field, error)))
        return false;
    if (field->length > CSV_FIELD_MAX)
        return error_set(error,
                         "%s:%zu: field %zu has %zu bytes, more than the %d that a number or a class name may have",
                         text->name, text->line, text->column, field->length, CSV_FIELD_MAX);
    return true;
}

/* Passes over digits; returns whether there were any. */
static bool
skip_digits(const char **at)
{
    const char *start = *at;
    while (**at >= '0' && **at <= '9')
        ++*at;
    return *at > start;
}

/* strtod takes more than a data file should hold ("0x1p3", "infinity"), so the form is checked first. */
static bool
is_decimal(const char *at)
{
    at += *at == '+' || *at == '-';
    bool whole = skip_digits(&at);
    bool fraction = *at == '.' && (at++, skip_digits(&at));
    if (!whole && !fraction)
        return false;
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '+' || *at == '-';
        if (!skip_digits(&at))
            return false;
    }
    return *at == '\0';
}

bool
csv_field_number(const CsvField *field, double *number)
{
    enum { SHORT = 9 }; /* digits that surely fit: pixels are read in millions, and strtod is slow */
    uint32_t sum = 0;
    size_t i = 0;
    for (; i < field->length && i < SHORT && field->text[i] >= '0' && field->text[i] <= '9'; i++)
        sum = 10 * sum + (uint32_t)(field->text[i] - '0');
    *number = sum;
    if (i == field->length)
        return i > 0;
    char text[CSV_FIELD_MAX + 1];
    csv_field_copy(field, text);
    if (!is_decimal(text))
        return false;
    *number = strtod(text, NULL); /* the program never calls setlocale, so the point is a point */
    return true;
}

void
csv_field_copy(const CsvField *field, char text[CSV_FIELD_MAX + 1])
{
    size_t length = 0;
    for (size_t i = 0; i < field->length && length < CSV_FIELD_MAX; i++) {
        text[length++] = field->text[i];
        if (field->text[i] == '"' && i + 1 < field->length && field->text[i + 1] == '"')
            i++;
    }
    text[length] = '\0';
}

const char *
csv_separator_hint(const char *text, size_t length, const char *others)
{
    if (length > 0 && strchr(others, ';') && memchr(text, ';', length))
        return "; the file seems to be separated by ';', so write commas there (and points, no commas, in numbers)";
    if (length > 0 && strchr(others, '\t') && memchr(text, '\t', length))
        return "; the file seems to be separated by tabs, so write commas there";
    if (length > 0 && strchr(others, ' ') && memchr(text, ' ', length))
        return "; the file seems to be separated by spaces, so write commas there";
    return "";
}

const char *
csv_field_show(const CsvField *field, char text[CSV_SHOWN])
{
    size_t length = 0;
    for (; length < field->length && length < CSV_SHOWN - 1; length++) {
        unsigned char c = (unsigned char)field->text[length];
        text[length] = c < ' ' || c == 0x7f ? '?' : (char)c;
    }
    if (field->length > CSV_SHOWN - 1)
        memcpy(text + CSV_SHOWN - 4, "...", 3);
    text[length] = '\0';
    return text;
}
