/* A data set from IDX arrays: samples and labels belong together only if their counts agree. See idx_reader.h.
 * SPDX-License-Identifier: MIT */
#include "data/idx_reader.h"
#include "data/sample_file.h"

#include <limits.h>
#include <math.h>

bool
idx_part_read(const char *images, const char *labels, bool streamed, IdxPart *part, Error *error)
{
    *part = (IdxPart){0};
    if (streamed ? !idx_open(images, &part->images, error) : !idx_read(images, &part->images, error))
        return false;
    if (idx_read(labels, &part->labels, error))
        return true;
    idx_part_free(part);
    return false;
}

void
idx_part_free(IdxPart *part)
{
    idx_free(&part->images);
    idx_free(&part->labels);
}

/* One sample of images: height, width, channels. */
static bool
sample_shape(const IdxArray *images, int shape[3], Error *error)
{
    int d = images->dimensions;
    if (d < 2 || d > 4)
        return error_set(
            error, "%s: has %d dimension%s, samples have 2 (N, features), 3 (N, height, width) or 4 (and channels)%s",
            images->name, d, d == 1 ? "" : "s", d == 1 ? "; are images and labels swapped?" : "");
    for (int i = 1; i < d; i++) {
        if (images->shape[i] > INT_MAX)
            return error_set(error, "%s: dimension %d is %zu, more than %d", images->name, i + 1, images->shape[i],
                             INT_MAX);
    }
    shape[0] = d == 2 ? 1 : (int)images->shape[1];
    shape[1] = d == 2 ? 1 : (int)images->shape[2];
    shape[2] = d == 2 ? (int)images->shape[1] : d == 3 ? 1 : (int)images->shape[3];
    return true;
}

static bool
check_part(const IdxPart *part, const IdxArray *first, Error *error)
{
    const IdxArray *images = &part->images, *labels = &part->labels;
    if (labels->dimensions != 1)
        return error_set(error, "%s: labels have 1 dimension, this has %d; are images and labels swapped?",
                         labels->name, labels->dimensions);
    if (images->shape[0] != labels->count)
        return error_set(error, "%s has %zu samples, but %s has %zu labels; do the two files belong together?",
                         images->name, images->shape[0], labels->name, labels->count);
    for (int i = 1; i < images->dimensions || i < first->dimensions; i++) {
        if (images->dimensions != first->dimensions || images->shape[i] != first->shape[i])
            return error_set(error, "%s: its samples have another shape than those of %s", images->name, first->name);
    }
    return true;
}

static bool
fill_labels(const IdxArray *labels, int *label, int *classes, Error *error)
{
    for (size_t i = 0; i < labels->count; i++) {
        double value = idx_value(labels, i);
        if (!(value >= 0 && value < DATASET_CLASSES_MAX && value == floor(value)))
            return error_set(error, "%s: label %zu is %g, expected a whole number 0 .. %d", labels->name, i, value,
                             DATASET_CLASSES_MAX - 1);
        label[i] = (int)value;
        if (*classes <= label[i])
            *classes = label[i] + 1;
    }
    return true;
}

/* The arrays fit together. */
static bool
fill(const IdxPart *parts, int count, Dataset *dataset, Error *error)
{
    size_t done = 0;
    for (int i = 0; i < count; i++) {
        const IdxArray *images = &parts[i].images;
        float *x = dataset->x ? dataset->x + done * dataset->features : NULL;
        if ((x && !idx_floats(images, images->elements, 0, images->count, x, error)) ||
            !fill_labels(&parts[i].labels, dataset->labels + done, &dataset->classes, error))
            return false;
        done += parts[i].labels.count;
    }
    return true;
}

bool
idx_dataset(IdxPart *parts, int count, Dataset *dataset, Error *error)
{
    int shape[3] = {1, 1, 1};
    size_t samples = 0;
    *dataset = (Dataset){0};
    if (count < 1)
        return error_set(error, "a data set needs at least one pair of IDX files");
    if (!sample_shape(&parts[0].images, shape, error))
        return false;
    for (int i = 0; i < count; i++) {
        if (!check_part(&parts[i], &parts[0].images, error))
            return false;
        samples += parts[i].labels.count; /* each is a byte of memory, at least */
    }
    const bool streamed = parts[0].images.file != NULL;
    if (!(streamed ? dataset_create_streamed : dataset_create)(dataset, samples, shape[0], shape[1], shape[2], error))
        return false;
    if (!fill(parts, count, dataset, error)) {
        dataset_free(dataset);
        return false;
    }
    if (streamed)
        dataset->file = sample_file_create(parts, count);
    return true;
}
