/* The last column of a CSV file: what the samples are to be told apart as.
 *
 * Integers stand for themselves: 0 .. DATASET_CLASSES_MAX-1, and there are largest + 1 classes, so that two files
 * of one set agree. If any label is something else, all are names, and classes are numbered in the sorted order of the
 * names (byte by byte): shuffling the file changes nothing, and scikit-learn's LabelEncoder numbers them alike. A name with
 * a semicolon needs quotes: without, it is mostly a file that has semicolons where commas are expected.
 * SPDX-License-Identifier: MIT */
#ifndef DATA_CSV_LABELS_H
#define DATA_CSV_LABELS_H

#include "data/csv_fields.h"

typedef struct CsvLabels {
    char **names; /* sorted, each once, owned */
    size_t count, capacity;
    bool named;               /* some label is not an integer */
    double smallest, largest; /* of the whole numbers */
    size_t smallest_line, largest_line;
} CsvLabels;

/* True for "3" and "3.0", also for "-3". */
bool csv_field_whole(const CsvField *field, double *number);

/* Takes note of one label. text tells where, for the sentence. */
bool csv_labels_note(CsvLabels *labels, const CsvText *text, const CsvField *field, Error *error);

/* After all are noted: how many classes there are, or 0 with a sentence if a number is out of range. */
int csv_labels_classes(const CsvLabels *labels, const char *name, Error *error);

/* The class of a label that was noted. */
int csv_labels_class(const CsvLabels *labels, const CsvField *field);

/* NULL if the classes are numbers; otherwise the names, which are the caller's from now on. */
char **csv_labels_take(CsvLabels *labels);
void csv_labels_free(CsvLabels *labels);

#endif
