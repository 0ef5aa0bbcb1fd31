/* The samples of `rungs train perceptron`: two kinds of something, labelled +1 and -1.
 * SPDX-License-Identifier: MIT */
#ifndef CLI_PERCEPTRON_SAMPLES_H
#define CLI_PERCEPTRON_SAMPLES_H

#include "cli/cli.h"
#include "core/error.h"
#include "core/options.h"
#include <stddef.h>

typedef struct Samples {
    char positive[80], negative[80]; /* what +1 and -1 are: "setosa", "the rest" */
    double *X;                       /* [count][n], owned */
    int *y;                          /* [count] of +1/-1, owned */
    size_t count, n;
    size_t positives; /* how many are +1 */
    int *feature;     /* [n]: input x_j is this feature of the data set, counted from 1, owned */
} Samples;

/* data: and, or, nand, xor, or what dataset_open takes. For data sets: class_name (name or number; NULL: the first) becomes
 * +1; against (name, number, "rest") becomes -1. features: which, counted from 1; an empty list takes all.
 * STATUS_FAILED with a sentence if the data cannot be read, STATUS_USAGE if they have no such class or feature. */
Status samples_create(Samples *samples, const char *data, const char *class_name, const char *against,
                      const IntList *features, Error *error);
void samples_free(Samples *samples);

/* How input x_j (j from 1) is called in a figure: "petal length (cm)" for iris, else "x1". Static text until the next call. */
const char *samples_input_name(const Samples *samples, const char *data, size_t j);

#endif
