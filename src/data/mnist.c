/* MNIST and the sets that come in the same four files: see mnist.h.
 * SPDX-License-Identifier: MIT */
#include "data/mnist.h"

#include "core/array.h"
#include "core/checked.h"
#include "data/data_folder.h"
#include "data/idx_reader.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 2, FILES = 2 * PARTS, CLASSES = 10 };

static const char *const files[FILES] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
                                         "t10k-labels-idx1-ubyte"};

/* Zalando's names; the digits of MNIST are their own. */
static const char *const fashion[CLASSES] = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                                             "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};

/* Where the four files are; "" for one that is not there. */
typedef struct Places {
    char folder[DATA_PATH_MAX];
    char path[FILES][DATA_PATH_MAX];
} Places;

static bool
find_files(const char *set, Places *places, Error *error)
{
    char root[DATA_PATH_MAX];
    if (!data_folder(root, error))
        return false;
    int length = snprintf(places->folder, sizeof(places->folder), "%s/%s", root, set);
    if (length < 0 || (size_t)length >= sizeof(places->folder))
        return error_set(error, "RUNGS_DATA is too long a path");
    bool plain =
        strcmp(set, "mnist") == 0; /* fashion's files have the same names: only its own folder tells them apart */
    for (int i = 0; i < FILES; i++) {
        if (!data_find(places->folder, files[i], places->path[i]) &&
            !(plain && data_find(root, files[i], places->path[i])))
            places->path[i][0] = '\0';
    }
    return true;
}

/* The number of the first part that is there: 0 training, 1 test. -1 with a sentence if that and what follows is not
 * complete. */
static int
first_part(const char *set, const Places *places, Error *error)
{
    int found = 0;
    for (int i = 0; i < FILES; i++)
        found += places->path[i][0] != '\0';
    if (found == 0) {
        error_set(
            error,
            "%s is not in %.300s; run `make data-%s` in the project's folder, or set RUNGS_DATA to the folder above it",
            set, places->folder, set);
        return -1;
    }
    int first = places->path[0][0] || places->path[1][0] ? 0 : 1;
    for (int i = 2 * first; i < FILES; i++) {
        if (!places->path[i][0]) {
            error_set(error, "%s.gz is missing in %.300s beside the other files of %s; run `make data-%s`", files[i],
                      places->folder, set, set);
            return -1;
        }
    }
    return first;
}

/* Reads the parts from `first` on. */
static bool
read_parts(const Places *places, int first, bool streamed, Dataset *dataset, Error *error)
{
    IdxPart parts[PARTS] = {0};
    bool ok = true;
    for (int i = first; ok && i < PARTS; i++)
        ok = idx_part_read(places->path[2 * i], places->path[2 * i + 1], streamed, &parts[i], error);
    ok = ok && idx_dataset(parts + first, PARTS - first, dataset, error);
    if (ok && first == 0)
        dataset->train_count = parts[0].labels.count;
    for (int i = 0; i < PARTS; i++)
        idx_part_free(&parts[i]);
    return ok;
}

/* Names of the classes, and how many there are: the files hold only numbers. */
static bool
name_classes(const char *set, Dataset *dataset, Error *error)
{
    if (dataset->classes > CLASSES)
        return error_set(error, "label %d does not exist in %s, which has %d classes; are these its files?",
                         dataset->classes - 1, set, CLASSES);
    dataset->classes = CLASSES;
    if (strcmp(set, "fashion") != 0)
        return true;
    CHECK_POINTER(dataset->class_names = calloc(CLASSES, sizeof(*dataset->class_names)));
    for (int i = 0; i < CLASSES; i++)
        CHECK_POINTER(dataset->class_names[i] = strdup(fashion[i]));
    return true;
}

bool
mnist_open(const char *set, bool streamed, Dataset *dataset, Error *error)
{
    *dataset = (Dataset){0};
    Places *places = array_create(1, sizeof(*places));
    int first = find_files(set, places, error) ? first_part(set, places, error) : -1;
    bool ok = first >= 0 && read_parts(places, first, streamed, dataset, error);
    array_free(places);
    if (!ok)
        return false;
    snprintf(dataset->name, sizeof(dataset->name), "%s%s", set, first > 0 ? " (test part only)" : "");
    if (name_classes(set, dataset, error))
        return true;
    dataset_free(dataset);
    return false;
}
