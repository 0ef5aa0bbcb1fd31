/* Samples that stay in their IDX files: rows are read when they are needed, so that a data set may be larger than memory.
 *
 *     file   | header | sample 0 | sample 1 | sample 2 | ..        one byte a pixel, say
 *                          `--------.----------'
 *                     neighbours are read together, to 1 MiB at once, in the order of the file
 *
 * The rows have the bits that a data set in memory has (idx_reader.h, normalizer_apply). Files must be raw: the middle of a
 * compressed file cannot be found.
 * SPDX-License-Identifier: MIT */
#ifndef DATA_SAMPLE_FILE_H
#define DATA_SAMPLE_FILE_H

#include "data/idx_reader.h"

enum { SAMPLE_FILE_PARTS = 2 };

/* The samples of 1 .. SAMPLE_FILE_PARTS parts, one behind the other, whose images were opened by idx_open: takes them. */
typedef struct SampleFile SampleFile;
SampleFile *sample_file_create(IdxPart *parts, int count);

/* NULL is allowed. */
void sample_file_free(SampleFile *file);

/* From here on rows are scaled as normalizer_apply would have; it is copied. */
void sample_file_normalize(SampleFile *file, const Normalizer *normalizer);

/* x[row][features] = sample samples[row], for `count` rows. False with a sentence if the file has become shorter, or a value is not
 * a finite number. */
bool sample_file_read(SampleFile *file, const size_t *samples, size_t count, float *x, Error *error);

#endif
