/* The sources that a training takes from one data set: its splits, in batches as the options say.
 * SPDX-License-Identifier: MIT */
#ifndef NN_TRAIN_DATA_H
#define NN_TRAIN_DATA_H

#include "data/batches.h"
#include "nn/train.h"

/* A split without samples is a source without steps. */
typedef struct TrainData {
    Source *training;          /* shuffled */
    Source *validation, *test; /* in the order of the split */
} TrainData;

/* Refuses a batch that the training samples do not fill, and values that are not finite. The data set is not owned; the split's
 * indices are copied. On failure *data is empty. */
bool train_data_create(TrainData *data, const Dataset *dataset, const Split *split, const TrainOptions *options,
                       Error *error);
void train_data_free(TrainData *data);

#endif
