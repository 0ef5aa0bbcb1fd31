/* Reads a data set from CSV text: numbers, and the class in the last column. Not a general CSV library: what it does
 * not expect it refuses, in one sentence with file and line.
 *
 *     sepal_length,sepal_width,petal_length,petal_width,species      a header is optional
 *     5.1,3.5,1.4,0.2,setosa                                         labels: whole numbers or names (csv_labels.h)
 *
 * The first row is a header if one of its fields before the last is no number, or if its last field is no whole number
 * while the second row's last one is. A header that names the columns pixel_0_0 .. pixel_R_C makes the samples images
 * of R+1 rows and C+1 columns; without it a sample is a plain vector. The text is as csv_fields.h reads it; nan, inf,
 * empty fields, rows of different lengths and more than CSV_COLUMNS_MAX columns are refused.
 * SPDX-License-Identifier: MIT */
#ifndef DATA_CSV_READER_H
#define DATA_CSV_READER_H

#include "data/dataset.h"

enum { CSV_COLUMNS_MAX = 1 << 18 };

/* The file may be gzip-compressed. The caller frees with dataset_free; on failure *dataset is empty. */
bool csv_read(const char *path, Dataset *dataset, Error *error);

/* The same for text in memory, uncompressed. `name` is for the sentences; dataset->name is its last part. */
bool csv_parse(const char *name, const uint8_t *bytes, size_t size, Dataset *dataset, Error *error);

#endif
