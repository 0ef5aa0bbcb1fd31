/* Samples with labels, as the networks want them: one float row a sample.
 * SPDX-License-Identifier: MIT */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H

#include "core/error.h"
#include "data/data_folder.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DATASET_CLASSES_MAX = 65536 };

/* train_count: the first train_count samples are the set's own training split, the rest its test split (dataset_split_at); 0 if
 * the set comes without a split of its own.
 * name: "digits", "mnist", "mnist (test part only)", or the file's name without its folder. */
typedef struct Dataset {
    char name[64];
    size_t count; /* samples */
    size_t train_count;
    int height, width, channels; /* of one sample; a plain vector is 1 x 1 x channels */
    size_t features;             /* height * width * channels */
    int classes;
    float *x;                /* [count][features], owned; NULL where they are read from `file` when they are needed */
    struct SampleFile *file; /* owned; NULL where x is in memory */
    int *labels;             /* [count], 0 .. classes-1, owned */
    char **class_names;      /* [classes] or NULL, owned */
} Dataset;

/* Opens a data set by name or by path:
 *   digits, iris            shipped in data/, found from wherever the program is started
 *   mnist, fashion          in data_folder() (`make data-mnist`), training part first; if only the test part (t10k) is
 *                           there, that alone, and the name says so
 *   cifar10                 the same (`make data-cifar10`), always both parts (cifar10.h)
 *   FILE.csv[.gz]           last column is the label (csv_reader.h)
 *   IMAGES,LABELS           two IDX files, raw or .gz (idx_reader.h)
 * Pixels keep the values of the file (digits 0..16, IDX 0..255): a Normalizer scales them.
 * The caller frees with dataset_free. On failure *dataset is empty and the sentence says what to do. */
bool dataset_open(const char *name, Dataset *dataset, Error *error);

/* The same for IDX files that are not compressed (mnist, fashion, IMAGES,LABELS), whose samples stay there: for sets larger than
 * memory (sample_file.h). */
bool dataset_open_streamed(const char *name, Dataset *dataset, Error *error);

/* The files that a name stands for, into files[0] and files[1]. Returns how many: 1 for FILE.csv[.gz], 2 for IMAGES,LABELS, 0
 * for the sets that have a name, and for what dataset_open would refuse. */
int dataset_files(const char *name, char files[2][DATA_PATH_MAX]);

/* The name under which the same data are opened from every folder: with full paths (data_full_path). Names without files, and
 * those of files that are not there, stay as they are. */
enum { DATASET_NAME_MAX = 2 * DATA_PATH_MAX };
void dataset_full_name(const char *name, char full[DATASET_NAME_MAX]);

/* Room for `count` samples of this shape, x and labels zero, classes 0, no names: for those who fill it themselves. All
 * sizes >= 1. */
bool dataset_create(Dataset *dataset, size_t count, int height, int width, int channels, Error *error);
bool dataset_create_streamed(Dataset *dataset, size_t count, int height, int width, int channels,
                             Error *error); /* without x */
void dataset_free(Dataset *dataset);

/* Of the values and labels, and of where the set's own test part begins (FNV-1a over words): tells whether two sets have the same
 * samples, whatever they are called. Reads all samples. */
bool dataset_checksum(const Dataset *dataset, uint64_t *sum, Error *error);

/* Which samples belong to which part: index lists over one data set, disjoint, covering all. */
typedef struct Split {
    size_t *train, *validation, *test; /* owned */
    size_t train_count, validation_count, test_count;
} Split;

/* Seeded and stratified: a split's size is its fraction of all samples, rounded; each class gives its fraction, rounded down or
 * up so that the sizes come out (largest remainders go up); each split is in random order. Fractions are >= 0, sum <= 1. For
 * mnist and the like, which come with a fixed test part, see dataset_split_at. */
bool dataset_split(const Dataset *dataset, double validation, double test, uint64_t seed, Split *split, Error *error);

/* The first train_count samples train, except for a fraction of them at their end, which validates; the rest tests. */
bool dataset_split_at(const Dataset *dataset, size_t train_count, double validation, Split *split, Error *error);
void split_free(Split *split);

/* x' = (x - mean) * scale per feature: standard has mean 0 and variance 1 (of the samples themselves, divided by
 * their number), min-max maps to 0 .. 1 (mean is then the minimum), none changes nothing. It is fitted on the
 * training samples alone: what the test samples look like must not leak into training. A constant feature
 * gets scale 0. range is min-max with one range for all features, as pixels want it. */
typedef struct Normalizer {
    size_t features;
    float *mean, *scale; /* [features], owned */
} Normalizer;

#define NORMALIZER_NAMES "none|standard|minmax|range" /* in the order of the kinds */
typedef enum NormalizerKind { NORMALIZE_NONE, NORMALIZE_STANDARD, NORMALIZE_MINMAX, NORMALIZE_RANGE } NormalizerKind;

/* train: at least one index into the data set. */
bool normalizer_fit(const Dataset *dataset, const size_t *train, size_t count, NormalizerKind kind,
                    Normalizer *normalizer, Error *error);
/* Changes dataset->x in place, all samples; samples of files are scaled whenever they are read. The data set has the features that
 * it was fitted on. */
void normalizer_apply(const Normalizer *normalizer, Dataset *dataset);
void normalizer_apply_row(const Normalizer *normalizer, float *x); /* one sample */
void normalizer_free(Normalizer *normalizer);

#endif
