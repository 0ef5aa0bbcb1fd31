/* Samples of two classes, labelled +1 and -1, in double: what Rosenblatt's perceptron learns from.
 * SPDX-License-Identifier: MIT */
#ifndef DATA_TWO_CLASSES_H
#define DATA_TWO_CLASSES_H

#include "core/options.h"
#include "data/dataset.h"

typedef struct TwoClasses {
    char positive[80], negative[80]; /* what +1 and -1 are: "setosa", "the rest" */
    double *X;                       /* [count][n], owned */
    int *y;                          /* [count] of +1/-1, owned */
    size_t count, n;
    size_t positives; /* how many are +1 */
    int *feature;     /* [n]: input x_j is this feature of the data set, counted from 1, owned */
} TwoClasses;

/* class_name (name or number; NULL: the first) becomes +1; against (name, number, "rest": all others) becomes -1. features: which,
 * counted from 1; an empty list takes all. False with a sentence if the data have no such class or feature. */
bool two_classes_create(TwoClasses *samples, const Dataset *dataset, const char *class_name, const char *against,
                        const IntList *features, Error *error);
void two_classes_free(TwoClasses *samples);

/* The function "and", "or", "nand" or "xor" of two bits: four samples of the classes "true" and "false". False: no such name. */
bool logic_dataset(const char *name, Dataset *dataset);

#endif
