/* Opens data sets by name: see dataset.h. What the files look like inside is the readers' affair.
 * SPDX-License-Identifier: MIT */
#include "data/dataset.h"

#include "core/array.h"
#include "core/nearest.h"
#include "data/cifar10.h"
#include "data/csv_reader.h"
#include "data/data_folder.h"
#include "data/idx_reader.h"
#include "data/mnist.h"
#include "data/sample_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static bool
create(Dataset *dataset, size_t count, int height, int width, int channels, bool in_memory, Error *error)
{
    *dataset = (Dataset){0};
    size_t features = 0, elements = 0;
    if (count < 1 || height < 1 || width < 1 || channels < 1)
        return error_set(error, "a data set of %zu samples of %d x %d x %d has no elements", count, height, width,
                         channels);
    if (!size_multiply((size_t)height, (size_t)width, &features) ||
        !size_multiply(features, (size_t)channels, &features) || !size_multiply(count, features, &elements))
        return error_set(error, "%zu samples of %d x %d x %d are more than any memory holds", count, height, width,
                         channels);
    *dataset = (Dataset){.count = count, .height = height, .width = width, .channels = channels, .features = features};
    dataset->labels = array_try_create(count, sizeof(int), error);
    if (dataset->labels && in_memory)
        dataset->x = array_try_create(elements, sizeof(float), error);
    if (dataset->labels && (dataset->x || !in_memory))
        return true;
    dataset_free(dataset);
    return false;
}

bool
dataset_create(Dataset *dataset, size_t count, int height, int width, int channels, Error *error)
{
    return create(dataset, count, height, width, channels, true, error);
}

bool
dataset_create_streamed(Dataset *dataset, size_t count, int height, int width, int channels, Error *error)
{
    return create(dataset, count, height, width, channels, false, error);
}

void
dataset_free(Dataset *dataset)
{
    for (int i = 0; dataset->class_names && i < dataset->classes; i++)
        free(dataset->class_names[i]);
    free(dataset->class_names);
    sample_file_free(dataset->file);
    array_free(dataset->x);
    array_free(dataset->labels);
    *dataset = (Dataset){0};
}

/* The sets that have a name: read from `file` in data/, or by a reader of their own if that is NULL. */
static const struct {
    const char *name, *file;
} known[] = {{"digits", "digits.csv.gz"}, {"iris", "iris.csv"}, {"mnist", NULL}, {"fashion", NULL}, {"cifar10", NULL}};
enum { KNOWN = sizeof(known) / sizeof(known[0]) };

/* Its row above, or -1. */
static int
find_known(const char *name)
{
    for (int i = 0; i < KNOWN; i++)
        if (strcmp(name, known[i].name) == 0)
            return i;
    return -1;
}

static bool
ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length > tail && strcasecmp(name + length - tail, end) == 0;
}

static bool
is_csv(const char *name)
{
    return ends_in(name, ".csv") || ends_in(name, ".csv.gz");
}

/* ---- the names of files ---- */

int
dataset_files(const char *name, char files[2][DATA_PATH_MAX])
{
    const size_t length = strlen(name), first = strcspn(name, ",");
    if (find_known(name) >= 0 || (is_csv(name) && length >= DATA_PATH_MAX))
        return 0;
    if (is_csv(name)) {
        strcpy(files[0], name);
        return 1;
    }
    if (first == 0 || first >= DATA_PATH_MAX || first + 1 >= length || length - first > DATA_PATH_MAX ||
        strchr(name + first + 1, ','))
        return 0;
    snprintf(files[0], DATA_PATH_MAX, "%.*s", (int)first, name);
    strcpy(files[1], name + first + 1);
    return 2;
}

void
dataset_full_name(const char *name, char full[DATASET_NAME_MAX])
{
    char files[2][DATA_PATH_MAX], path[2][DATA_PATH_MAX];
    const int count = dataset_files(name, files);
    snprintf(full, DATASET_NAME_MAX, "%s", name);
    for (int i = 0; i < count; i++)
        if (!data_full_path(files[i], path[i]) || (count == 2 && strchr(path[i], ',')))
            return;
    if (count > 0)
        stpcpy(stpcpy(stpcpy(full, path[0]), count == 2 ? "," : ""), count == 2 ? path[1] : "");
}

/* ---- opening ---- */

/* dataset->name is the text's last part: of "a/b.csv" it is "b.csv". */
static void
set_name(Dataset *dataset, const char *text)
{
    const char *slash = strrchr(text, '/');
    snprintf(dataset->name, sizeof(dataset->name), "%.63s", slash ? slash + 1 : text);
}

static bool
open_known(const char *name, const char *file, Dataset *dataset, Error *error)
{
    char path[DATA_PATH_MAX];
    if (!file)
        return strcmp(name, "cifar10") == 0 ? cifar10_open(dataset, error) : mnist_open(name, false, dataset, error);
    if (!data_shipped(file, path, error) || !csv_read(path, dataset, error))
        return false;
    set_name(dataset, name);
    return true;
}

/* "IMAGES,LABELS". */
static bool
open_idx(const char *name, bool streamed, Dataset *dataset, Error *error)
{
    char files[2][DATA_PATH_MAX];
    if (dataset_files(name, files) != 2)
        return error_set(error,
                         "%s: expected two IDX files, of at most %d bytes each, and one comma between them: "
                         "IMAGES,LABELS",
                         name, DATA_PATH_MAX - 1);
    IdxPart part;
    if (!idx_part_read(files[0], files[1], streamed, &part, error))
        return false;
    bool ok = idx_dataset(&part, 1, dataset, error);
    if (ok)
        set_name(dataset, files[0]);
    idx_part_free(&part);
    return ok;
}

static bool
unknown(const char *name, Error *error)
{
    enum { SHOWN = 100 }; /* of a name; the sentence has to fit */
    if (access(name, F_OK) == 0)
        return error_set(error,
                         "%.*s: its name does not tell what it is; expected FILE.csv, FILE.csv.gz, or two IDX files as "
                         "IMAGES,LABELS",
                         SHOWN, name);
    Nearest nearest = nearest_to(name);
    for (int i = 0; i < KNOWN; i++)
        nearest_offer(&nearest, known[i].name);
    return error_set(error,
                     "there is no data set \"%.*s\"%s%s%s; expected digits, iris, mnist, fashion, cifar10, "
                     "FILE.csv, FILE.csv.gz or IMAGES,LABELS",
                     SHOWN, name, nearest.name ? " (did you mean " : "", nearest.name ? nearest.name : "",
                     nearest.name ? "?)" : "");
}

bool
dataset_open(const char *name, Dataset *dataset, Error *error)
{
    *dataset = (Dataset){0};
    const int row = find_known(name);
    if (row >= 0)
        return open_known(name, known[row].file, dataset, error);
    if (is_csv(name))
        return csv_read(name, dataset, error);
    if (strchr(name, ','))
        return open_idx(name, false, dataset, error);
    return unknown(name, error);
}

bool
dataset_open_streamed(const char *name, Dataset *dataset, Error *error)
{
    *dataset = (Dataset){0};
    if (strcmp(name, "mnist") == 0 || strcmp(name, "fashion") == 0)
        return mnist_open(name, true, dataset, error);
    if (find_known(name) < 0 && !is_csv(name) && strchr(name, ','))
        return open_idx(name, true, dataset, error);
    return error_set(error,
                     "%.100s: cannot be read sample by sample: --stream takes mnist, fashion or two IDX files as "
                     "IMAGES,LABELS; leave it away",
                     name);
}
