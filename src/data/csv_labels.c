/* The last column of a CSV file: see csv_labels.h.
 * SPDX-License-Identifier: MIT */
#include "data/csv_labels.h"

#include "core/checked.h"
#include "data/dataset.h"
#include <math.h>
#include <stdlib.h>
#include <strings.h>

bool
csv_field_whole(const CsvField *field, double *number)
{
    return csv_field_number(field, number) && *number == floor(*number);
}

/* Where `name` stands among the names, or where it would have to be inserted. */
static size_t
find(const CsvLabels *labels, const char *name, bool *found)
{
    size_t low = 0, high = labels->count;
    *found = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(labels->names[middle], name);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void
insert(CsvLabels *labels, size_t place, const char *name)
{
    if (labels->count == labels->capacity) {
        labels->capacity = labels->capacity ? 2 * labels->capacity : 16;
        labels->names = realloc(labels->names, labels->capacity * sizeof(*labels->names));
        CHECK_THAT(labels->names, "no memory for %zu class names", labels->capacity);
    }
    memmove(labels->names + place + 1, labels->names + place, (labels->count - place) * sizeof(*labels->names));
    labels->names[place] = strdup(name);
    CHECK_THAT(labels->names[place], "no memory for a class name");
    labels->count++;
}

static void
note_number(CsvLabels *labels, double number, size_t line)
{
    if (labels->smallest_line == 0 || number < labels->smallest) {
        labels->smallest = number;
        labels->smallest_line = line;
    }
    if (labels->largest_line == 0 || number > labels->largest) {
        labels->largest = number;
        labels->largest_line = line;
    }
}

/* "nan", "-inf", "NA": how programs write that a label is missing. */
static bool
is_missing(const CsvField *field)
{
    static const char *const words[] = {"nan", "inf", "+inf", "-inf", "infinity", "-infinity", "na", "n/a", "null"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strlen(words[i]) == field->length && strncasecmp(words[i], field->text, field->length) == 0)
            return true;
    }
    return field->length == 0;
}

bool
csv_labels_note(CsvLabels *labels, const CsvText *text, const CsvField *field, Error *error)
{
    char name[CSV_FIELD_MAX + 1], shown[CSV_SHOWN];
    double number = 0;
    if (is_missing(field))
        return error_set(error,
                         "%s:%zu: the label in the last column, \"%s\", is missing; remove the row or fill it in",
                         text->name, text->line, csv_field_show(field, shown));
    const char *hint = csv_separator_hint(field->text, field->length, ";");
    if (hint[0] && !field->quoted)
        return error_set(error,
                         "%s:%zu: the label in the last column is \"%s\", expected a class without ';'%s, or quotes "
                         "around a name that has one",
                         text->name, text->line, csv_field_show(field, shown), hint);
    if (csv_field_whole(field, &number))
        note_number(labels, number, text->line);
    else if (csv_field_number(field, &number))
        return error_set(error, "%s:%zu: label \"%s\" in the last column is no class; write whole numbers or names",
                         text->name, text->line, csv_field_show(field, shown));
    else
        labels->named = true;
    bool found = false;
    csv_field_copy(field, name);
    size_t place = find(labels, name, &found);
    if (!found && labels->count == DATASET_CLASSES_MAX)
        return error_set(error, "%s:%zu: more than %d different labels; is the last column really the class?",
                         text->name, text->line, DATASET_CLASSES_MAX);
    if (!found)
        insert(labels, place, name);
    return true;
}

int
csv_labels_classes(const CsvLabels *labels, const char *name, Error *error)
{
    if (labels->named)
        return (int)labels->count;
    bool low = labels->smallest < 0;
    if (!low && labels->largest < DATASET_CLASSES_MAX)
        return (int)labels->largest + 1;
    error_set(error, "%s:%zu: label %.10g is not in 0 .. %d; number the classes from 0, or write names", name,
              low ? labels->smallest_line : labels->largest_line, low ? labels->smallest : labels->largest,
              DATASET_CLASSES_MAX - 1);
    return 0;
}

int
csv_labels_class(const CsvLabels *labels, const CsvField *field)
{
    char name[CSV_FIELD_MAX + 1];
    double number = 0;
    if (!labels->named && csv_field_whole(field, &number))
        return (int)number;
    bool found = false;
    csv_field_copy(field, name);
    size_t place = find(labels, name, &found);
    CHECK_THAT(found, "label \"%s\" was not noted", name);
    return (int)place;
}

char **
csv_labels_take(CsvLabels *labels)
{
    char **names = labels->named ? labels->names : NULL;
    if (names)
        *labels = (CsvLabels){0};
    return names;
}

void
csv_labels_free(CsvLabels *labels)
{
    for (size_t i = 0; i < labels->count; i++)
        free(labels->names[i]);
    free(labels->names);
    *labels = (CsvLabels){0};
}
