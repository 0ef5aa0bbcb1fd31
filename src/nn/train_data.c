/* Sources of one data set: see train_data.h. SPDX-License-Identifier: MIT */
#include "nn/train_data.h"

void
train_data_free(TrainData *data)
{
    source_free(data->training);
    source_free(data->validation);
    source_free(data->test);
    *data = (TrainData){0};
}

static bool
check_batch(const Split *split, int batch, Error *error)
{
    if (split->train_count == 0)
        return error_set(error, "no samples are left for training: make the validation and test parts smaller");
    if (batch < 1 || (size_t)batch > split->train_count)
        return error_set(error, "the batch size is %d, expected 1 to %zu, the number of training samples", batch,
                         split->train_count);
    return true;
}

bool
train_data_create(TrainData *data, const Dataset *dataset, const Split *split, const TrainOptions *options,
                  Error *error)
{
    *data = (TrainData){0};
    if (!check_batch(split, options->batch, error))
        return false;
    const BatchOptions in_order = {.size = (size_t)options->batch};
    const BatchOptions shuffled = {(size_t)options->batch, true, options->drop_last, options->seed};
    if ((data->training = batches_create(dataset, split->train, split->train_count, shuffled, error)) &&
        (data->validation = batches_create(dataset, split->validation, split->validation_count, in_order, error)) &&
        (data->test = batches_create(dataset, split->test, split->test_count, in_order, error)))
        return true;
    train_data_free(data);
    return false;
}
