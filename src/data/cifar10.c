/* CIFAR-10: see cifar10.h. SPDX-License-Identifier: MIT */
#include "data/cifar10.h"

#include "core/checked.h"
#include "data/bytes.h"
#include "data/data_folder.h"
#include <stdio.h>
#include <stdlib.h>

enum { FILES = 6, CLASSES = 10, SIDE = 32, COLOURS = 3, PIXELS = SIDE * SIDE, RECORD = 1 + COLOURS * PIXELS };

static const char *const files[FILES] = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                         "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"};

/* The authors' names. */
static const char *const class_names[CLASSES] = {"airplane", "automobile", "bird",  "cat",  "deer",
                                                 "dog",      "frog",       "horse", "ship", "truck"};

static bool
find_folder(char folder[DATA_PATH_MAX], Error *error)
{
    char root[DATA_PATH_MAX];
    if (!data_folder(root, error))
        return false;
    int length = snprintf(folder, DATA_PATH_MAX, "%s/cifar10/cifar-10-batches-bin", root);
    return (length >= 0 && length < DATA_PATH_MAX) || error_set(error, "RUNGS_DATA is too long a path");
}

static bool
check_records(const char *path, const Bytes *bytes, Error *error)
{
    if (bytes->size % RECORD != 0)
        return error_set(
            error,
            "%s: holds %zu bytes, expected complete records of %d (a label and 32 x 32 pixels of 3 colours): "
            "is the file cut off?",
            path, bytes->size, RECORD);
    for (size_t r = 0; r < bytes->size / RECORD; r++)
        if (bytes->data[r * RECORD] >= CLASSES)
            return error_set(error, "%s: the label of record %zu is %d, expected 0 to %d", path, r,
                             bytes->data[r * RECORD], CLASSES - 1);
    return true;
}

static bool
read_file(const char *folder, const char *name, Bytes *bytes, Error *error)
{
    char path[DATA_PATH_MAX];
    if (!data_find(folder, name, path))
        return error_set(
            error,
            "%s is not in %.300s; run `make data-cifar10` in the project's folder, or set RUNGS_DATA to the "
            "folder two above it",
            name, folder);
    return bytes_read(path, BYTES_LIMIT, bytes, error) && check_records(path, bytes, error);
}

/* Planes of colours become pixels of three colours. */
static void
fill(const Bytes *bytes, float *x, int *labels)
{
    for (size_t r = 0; r < bytes->size / RECORD; r++) {
        const uint8_t *record = bytes->data + r * RECORD;
        labels[r] = record[0];
        for (int p = 0; p < PIXELS; p++)
            for (int c = 0; c < COLOURS; c++)
                *x++ = record[1 + c * PIXELS + p];
    }
}

static bool
join(const Bytes parts[FILES], Dataset *dataset, Error *error)
{
    size_t count = 0, done = 0;
    for (int f = 0; f < FILES; f++)
        count += parts[f].size / RECORD;
    if (!dataset_create(dataset, count, SIDE, SIDE, COLOURS, error))
        return false;
    for (int f = 0; f < FILES; f++) {
        dataset->train_count = done; /* of the last file: all before it */
        fill(&parts[f], dataset->x + done * dataset->features, dataset->labels + done);
        done += parts[f].size / RECORD;
    }
    dataset->classes = CLASSES;
    CHECK_POINTER(dataset->class_names = calloc(CLASSES, sizeof(*dataset->class_names)));
    for (int i = 0; i < CLASSES; i++)
        CHECK_POINTER(dataset->class_names[i] = strdup(class_names[i]));
    snprintf(dataset->name, sizeof(dataset->name), "cifar10");
    return true;
}

bool
cifar10_open(Dataset *dataset, Error *error)
{
    char folder[DATA_PATH_MAX];
    Bytes parts[FILES] = {0};
    *dataset = (Dataset){0};
    bool ok = find_folder(folder, error);
    for (int f = 0; ok && f < FILES; f++)
        ok = read_file(folder, files[f], &parts[f], error);
    ok = ok && join(parts, dataset, error);
    for (int f = 0; f < FILES; f++)
        bytes_free(&parts[f]);
    return ok;
}
