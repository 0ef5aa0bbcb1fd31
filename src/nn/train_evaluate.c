/* How good a network is on samples (nn/train.h). SPDX-License-Identifier: MIT */
#include "core/array.h"
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

/* One batch: the sum of its losses; its hits are added. run NULL: the group does it. False with a sentence if the batch cannot be
 * loaded. */
static bool
evaluate_batch(Net *net, Run *run, const TrainGroup *group, Source *source, uint64_t step, double *loss,
               double *correct, Error *error)
{
    const size_t rows = source_rows(source, step);
    const bool good = source_load(source, 0, step, 0, rows, error);
    const Batch batch = {.size = (int)rows, .x = good ? source->x : NULL, .labels = source->labels, .inference = true};
    const float *output = NULL;
    double mean = 0;
    if (run == NULL) {
        output = group->evaluate(group->context, net, &batch, &mean);
    } else if (good) {
        mean = run_forward(run, &batch);
        output = run_output(run);
    }
    if (good && output) {
        *loss = mean * (double)rows;
        *correct += (double)count_correct(output, rows, (size_t)source->classes, source->labels);
    }
    return good;
}

/* For one process; NULL where the group does it together. */
static Run *
create_run(Net *net, const Source *source, const TrainGroup *group)
{
    if (group && group->evaluate)
        return NULL;
    return run_create(net, &(RunOptions){.max_batch = (int)source_rows(source, 0), .inference = true});
}

/* Each process leaves the losses of its batches at their places, and zeros elsewhere: sums of these are exact, and are then added
 * up in the order of the batches, whichever process evaluated them. */
bool
train_evaluate(Net *net, Source *source, const TrainGroup *group, Evaluation *result, Error *error)
{
    const size_t batches = (size_t)source->steps;
    size_t first = 0, count = batches;
    *result = (Evaluation){.count = source->samples, .accuracy = NAN, .loss = NAN};
    if (batches == 0)
        return true;
    if (group)
        group->part(group->context, batches, &first, &count);
    double *loss = ARRAY(double, batches + 1), *correct = loss + batches, sum = 0;
    bool good = true;
    Run *run = create_run(net, source, group);
    for (size_t i = first; (good || !run) && i < first + count; i++)
        good = evaluate_batch(net, run, group, source, i, &loss[i], correct, error) && good;
    run_free(run);
    if (group && (good = group->processes.agree(group->processes.context, good, error)))
        group->processes.sum(group->processes.context, loss, batches + 1);
    for (size_t i = 0; i < batches; i++)
        sum += loss[i];
    result->correct = (size_t)*correct;
    array_free(loss);
    if (!good)
        return false;
    result->accuracy = (double)result->correct / (double)result->count;
    result->loss = sum / (double)result->count;
    return true;
}
