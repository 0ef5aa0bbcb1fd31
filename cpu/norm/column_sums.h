/* Two sums for each channel over all rows of [rows][channels]: what both directions of batch normalisation and the parameters'
 * gradients of layer normalisation need. SPDX-License-Identifier: MIT */
#ifndef CPU_NORM_COLUMN_SUMS_H
#define CPU_NORM_COLUMN_SUMS_H

#include <stddef.h>

/* Adds what the rows first .. end-1 give to sum[2][channels]. part: room for 2 [channels] floats. */
typedef void ColumnPart(const void *problem, size_t first, size_t end, float *part, double *sum);

/* Calls part for blocks of rows, which threads share, and adds the blocks' sums in their order. The number of blocks does not
 * depend on the number of threads, so the bits are the same. Returns sum[2][channels] and behind it room for 4 [channels]
 * floats: a workspace (core/workspace.h), valid until the calling thread's next. */
double *column_sums(size_t rows, size_t channels, ColumnPart *part, const void *problem);

/* The same blocks once more, by the same threads: they may still be in the threads' caches. */
typedef void ColumnRows(const void *problem, size_t first, size_t end);
void column_rows(size_t rows, size_t channels, ColumnRows *apply, const void *problem);

#endif
