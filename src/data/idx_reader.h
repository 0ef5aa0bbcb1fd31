/* Reads IDX, the format of MNIST: one dense array of numbers, big-endian, last index fastest.
 *
 *     byte 0, 1   0
 *     byte 2      type of the elements (IdxType)
 *     byte 3      number of dimensions d, 1 .. 8
 *     4 d bytes   the dimensions, each 4 bytes
 *     the rest    the elements; their number is the product of the dimensions
 *
 * Source: Y. LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits", section "File formats".
 * SPDX-License-Identifier: MIT */
#ifndef DATA_IDX_READER_H
#define DATA_IDX_READER_H

#include "data/bytes.h"
#include "data/dataset.h"
#include <stdio.h>

enum { IDX_DIMENSIONS_MAX = 8 };

typedef enum IdxType {
    IDX_UBYTE = 0x08,
    IDX_BYTE = 0x09,
    IDX_SHORT = 0x0B,
    IDX_INT = 0x0C,
    IDX_FLOAT = 0x0D,
    IDX_DOUBLE = 0x0E
} IdxType;

typedef struct IdxArray {
    char name[256]; /* of the file, for sentences */
    IdxType type;
    int dimensions;
    size_t shape[IDX_DIMENSIONS_MAX]; /* each >= 1 */
    size_t count;                     /* their product */
    const uint8_t *elements;          /* as in the file; idx_value reads them. NULL after idx_open */
    Bytes bytes;                      /* owned; empty if the array was parsed from the caller's memory */
    FILE *file;                       /* after idx_open, owned; else NULL */
} IdxArray;

/* The file may be gzip-compressed. Free with idx_free; on failure *array is empty. */
bool idx_read(const char *path, IdxArray *array, Error *error);

/* The same for a file in memory, uncompressed: the bytes must outlive the array. */
bool idx_parse(const char *name, const uint8_t *bytes, size_t size, IdxArray *array, Error *error);
void idx_free(IdxArray *array);

/* Opens the file, which must not be compressed, and reads its header alone; idx_read_bytes then reads `size` bytes of its elements,
 * from byte `from` on. Free with idx_free; on failure *array is empty. */
bool idx_open(const char *path, IdxArray *array, Error *error);
bool idx_read_bytes(const IdxArray *array, size_t from, size_t size, uint8_t *bytes, Error *error);

/* Bytes of one element; 0 for a type that does not exist. */
size_t idx_element_size(int type);

/* Element i, 0 <= i < count. A double holds every value of every type exactly. */
double idx_value(const IdxArray *array, size_t i);

/* x[n] = elements first .. first + n - 1 of the array, whose bytes begin at `bytes`. Refuses what is not a finite float. */
bool idx_floats(const IdxArray *array, const uint8_t *bytes, size_t first, size_t n, float *x, Error *error);

/* Samples and their labels. images: [N][features], [N][height][width] or [N][height][width][channels]; labels: [N],
 * whole numbers 0 .. DATASET_CLASSES_MAX-1. */
typedef struct IdxPart {
    IdxArray images, labels;
} IdxPart;

/* Reads both files; streamed: of the images the header alone. Free with idx_part_free; on failure *part is empty. */
bool idx_part_read(const char *images, const char *labels, bool streamed, IdxPart *part, Error *error);
void idx_part_free(IdxPart *part);

/* Puts the samples of one or more parts of equal shape one behind the other; those of streamed parts stay in their files, which the
 * data set takes. name and train_count are left to the caller. */
bool idx_dataset(IdxPart *parts, int count, Dataset *dataset, Error *error);

#endif
