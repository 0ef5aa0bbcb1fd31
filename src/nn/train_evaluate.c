/* How good a network is on samples (nn/train.h). SPDX-License-Identifier: MIT */
#include "core/checked.h"
#include "nn/train.h"
#include <math.h>

static size_t
count_correct(const float *probability, size_t rows, size_t classes, const int *labels)
{
    size_t correct = 0;
    for (size_t r = 0; r < rows; r++) {
        const float *row = probability + r * classes;
        size_t best = 0;
        for (size_t c = 1; c < classes; c++)
            if (row[c] > row[best])
                best = c;
        correct += best == (size_t)labels[r];
    }
    return correct;
}

Evaluation
train_evaluate(Net *net, const Dataset *dataset, const size_t *samples, size_t count, int batch)
{
    Evaluation result = {.count = count, .accuracy = NAN, .loss = NAN};
    Batches batches;
    Error error;
    if (count == 0)
        return result;
    size_t size = (size_t)batch < count ? (size_t)batch : count;
    CHECK_THAT(batches_create(&batches, dataset, samples, count, size, false, false, 0, &error), "%s", error.text);
    batches_start_epoch(&batches, 0);
    double loss_sum = 0;
    Run *run = run_create(net, &(RunOptions){.max_batch = (int)size, .inference = true});
    for (size_t i = 0; i < batches_per_epoch(&batches); i++) {
        size_t rows = batches_load(&batches, i);
        Batch part = {.size = (int)rows, .x = batches.x, .labels = batches.labels, .inference = true};
        loss_sum += run_forward(run, &part) * (double)rows;
        result.correct += count_correct(run_output(run), rows, (size_t)dataset->classes, batches.labels);
    }
    run_free(run);
    batches_free(&batches);
    result.accuracy = (double)result.correct / (double)count;
    result.loss = loss_sum / (double)count;
    return result;
}
