/* Reads a data set from CSV text, in two passes: the first counts rows, checks their widths and notes the labels, so
 * that the second writes into arrays of the right size. See csv_reader.h.
 * SPDX-License-Identifier: MIT */
#include "data/csv_reader.h"

#include "data/bytes.h"
#include "data/csv_fields.h"
#include "data/csv_labels.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What the first pass finds. */
typedef struct Table {
    CsvText samples;      /* the text behind the header */
    size_t rows, columns; /* of samples; the label's column included */
    int height, width;    /* of an image, or 0 */
    CsvLabels labels;
} Table;

/* One row, looked at closely: for telling a header from a sample. */
typedef struct Row {
    size_t columns;
    bool numbers; /* all fields but the last are numbers */
    bool whole;   /* the last one is a whole number */
    CsvField first, before_last, last;
} Row;

static bool
read_row(CsvText *text, Row *row, Error *error)
{
    double number = 0;
    bool numbers = true;
    *row = (Row){0};
    do {
        row->before_last = row->last;
        row->numbers = numbers;
        if (!csv_text_field(text, &row->last, error))
            return false;
        numbers = numbers && csv_field_number(&row->last, &number);
        if (row->columns++ == 0)
            row->first = row->last;
        if (row->columns > CSV_COLUMNS_MAX)
            return error_set(error, "%s:%zu: more than %d columns; is every sample on a line of its own?", text->name,
                             text->line, CSV_COLUMNS_MAX);
    } while (!text->row_ended);
    row->whole = csv_field_whole(&row->last, &number);
    return true;
}

/* "pixel_7_7" gives row 7, column 7. */
static bool
read_pixel_name(const CsvField *field, int *row, int *column)
{
    char text[CSV_FIELD_MAX + 1];
    int end = 0;
    csv_field_copy(field, text);
    return sscanf(text, "pixel_%5d_%5d%n", row, column, &end) == 2 && text[end] == '\0' && *row >= 0 && *column >= 0;
}

static void
read_shape(Table *table, const Row *header)
{
    int row = 0, column = 0;
    if (!read_pixel_name(&header->first, &row, &column) || row != 0 || column != 0)
        return;
    if (!read_pixel_name(&header->before_last, &row, &column))
        return;
    size_t height = (size_t)row + 1, width = (size_t)column + 1;
    if (height * width == header->columns - 1) {
        table->height = row + 1;
        table->width = column + 1;
    }
}

/* Files that are not separated by commas look like one column. */
static bool
check_columns(const CsvText *text, const Row *row, Error *error)
{
    if (row->columns >= 2)
        return true;
    return error_set(error, "%s:%zu: has one field, expected a number and a label at least, with a comma between%s",
                     text->name, text->line,
                     row->first.quoted ? "" : csv_separator_hint(row->first.text, row->first.length, ";\t "));
}

/* Leaves table->samples at the first row of samples. */
static bool
read_header(Table *table, CsvText *text, Error *error)
{
    Row first, second;
    table->samples = *text;
    if (!csv_text_row(text))
        return error_set(error, "%s: there are no rows in it", text->name);
    if (!read_row(text, &first, error) || !check_columns(text, &first, error))
        return false;
    table->columns = first.columns;
    CsvText behind = *text;
    bool more = csv_text_row(text);
    if (more && !read_row(text, &second, error))
        return false;
    bool header = !first.numbers || (!first.whole && more && second.whole);
    if (header && !more)
        return error_set(error, "%s: there are no rows behind the header in line %zu", text->name, behind.line);
    if (header) {
        read_shape(table, &first);
        table->samples = behind;
    }
    return true;
}

/* row: where the row begins. */
static bool
wrong_width(const CsvText *text, const char *row, size_t columns, Error *error)
{
    return error_set(error, "%s:%zu: this row has %s than the %zu fields of the first row%s", text->name, text->line,
                     text->column > columns ? "more" : "fewer", columns,
                     csv_separator_hint(row, (size_t)(text->at - row), ";"));
}

/* Counts the samples, checks that they are equally wide and without gaps, and notes the labels. */
static bool
scan(Table *table, Error *error)
{
    CsvText text = table->samples;
    CsvField field;
    while (csv_text_row(&text)) {
        const char *row = text.at;
        do {
            if (!csv_text_field(&text, &field, error))
                return false;
            if (text.column > table->columns || (text.row_ended && text.column < table->columns))
                return wrong_width(&text, row, table->columns, error);
            if (field.length == 0 && !text.row_ended)
                return error_set(error, "%s:%zu: field %zu is empty; every sample needs all its numbers", text.name,
                                 text.line, text.column);
        } while (!text.row_ended);
        if (!csv_labels_note(&table->labels, &text, &field, error))
            return false;
        table->rows++;
    }
    return true;
}

static bool
read_sample(const Table *table, CsvText *text, float *x, int *label, Error *error)
{
    CsvField field;
    char shown[CSV_SHOWN];
    double number = 0;
    for (size_t i = 0; i + 1 < table->columns; i++) {
        if (!csv_text_field(text, &field, error))
            return false;
        if (!csv_field_number(&field, &number) || fabs(number) > (double)FLT_MAX)
            return error_set(error, "%s:%zu: field %zu is \"%s\", expected a finite number%s", text->name, text->line,
                             text->column, csv_field_show(&field, shown),
                             csv_separator_hint(field.text, field.length, ";\t"));
        x[i] = (float)number;
    }
    if (!csv_text_field(text, &field, error))
        return false;
    *label = csv_labels_class(&table->labels, &field);
    return true;
}

/* The second pass. */
static bool
fill(Table *table, Dataset *dataset, Error *error)
{
    CsvText text = table->samples;
    for (size_t i = 0; csv_text_row(&text); i++) {
        if (!read_sample(table, &text, dataset->x + i * dataset->features, &dataset->labels[i], error))
            return false;
    }
    return true;
}

/* table.rows * table.columns is bounded by the size of the text, since each of these fields is at least a byte of
 * it. */
static bool
read_table(Table *table, CsvText *text, Dataset *dataset, Error *error)
{
    if (!read_header(table, text, error) || !scan(table, error))
        return false;
    int classes = csv_labels_classes(&table->labels, text->name, error);
    int features = (int)table->columns - 1;
    bool image = table->height > 0;
    if (classes == 0 || !dataset_create(dataset, table->rows, image ? table->height : 1, image ? table->width : 1,
                                        image ? 1 : features, error))
        return false;
    if (!fill(table, dataset, error)) {
        dataset_free(dataset);
        return false;
    }
    dataset->classes = classes;
    dataset->class_names = csv_labels_take(&table->labels);
    return true;
}

bool
csv_parse(const char *name, const uint8_t *bytes, size_t size, Dataset *dataset, Error *error)
{
    *dataset = (Dataset){0};
    Table table = {0};
    CsvText text;
    bool ok = csv_text_open(&text, name, bytes, size, error) && read_table(&table, &text, dataset, error);
    csv_labels_free(&table.labels);
    if (!ok)
        return false;
    const char *slash = strrchr(name, '/');
    snprintf(dataset->name, sizeof(dataset->name), "%.63s", slash ? slash + 1 : name);
    return true;
}

bool
csv_read(const char *path, Dataset *dataset, Error *error)
{
    Bytes bytes;
    *dataset = (Dataset){0};
    if (!bytes_read(path, BYTES_LIMIT, &bytes, error))
        return false;
    bool ok = csv_parse(path, bytes.data, bytes.size, dataset, error);
    bytes_free(&bytes);
    return ok;
}
