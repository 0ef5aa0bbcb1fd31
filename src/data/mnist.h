/* MNIST and the sets that come in the same four files. Which files these are, and where they are looked for.
 * SPDX-License-Identifier: MIT */
#ifndef DATA_MNIST_H
#define DATA_MNIST_H

#include "data/dataset.h"

/* set: "mnist" or "fashion". The files are in data_folder()/set, raw or .gz; mnist's may also be in data_folder() itself. Both
 * parts, training first; if there is only the test part, that alone, and dataset->name says so. streamed: the images stay there
 * (sample_file.h). */
bool mnist_open(const char *set, bool streamed, Dataset *dataset, Error *error);

#endif
