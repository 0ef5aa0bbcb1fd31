/* The training loop (nn/train.h). It knows nothing of files, options or terminals: checkpoint.c saves it, cli/ shows it.
 * SPDX-License-Identifier: MIT */
#include "nn/train.h"
#include "core/array.h"
#include "core/checked.h"
#include "core/clock.h"
#include <math.h>
#include <string.h>

/* ---- what cannot work is refused before the first step ---- */

static bool
check_options(const TrainOptions *options, const Split *split, Error *error)
{
    if (options->epochs < 1)
        return error_set(error, "the number of epochs is %d, expected at least 1", options->epochs);
    if (!(options->rate > 0) || !isfinite(options->rate))
        return error_set(error, "the learning rate is %g, expected a number above 0", options->rate);
    if (split->train_count == 0)
        return error_set(error, "no samples are left for training: make the validation and test parts smaller");
    if (options->batch < 1 || (size_t)options->batch > split->train_count)
        return error_set(error, "the batch size is %d, expected 1 to %zu, the number of training samples",
                         options->batch, split->train_count);
    if (options->micro_batches < 0 || options->micro_batches > options->batch)
        return error_set(error, "%d micro-batches of a batch of %d sample%s: expected 1 to %d", options->micro_batches,
                         options->batch, options->batch == 1 ? "" : "s", options->batch);
    return optimizer_options_check(&options->optimizer_options, error);
}

static size_t
elements(Shape shape)
{
    return (size_t)shape.height * (size_t)shape.width * (size_t)shape.channels;
}

static bool
check_shapes(const Net *net, const Dataset *dataset, Error *error)
{
    Shape in = net_input_shape(net), out = net_output_shape(net);
    const size_t inputs = elements(in), outputs = elements(out);
    if (inputs != dataset->features)
        return error_set(error, "the network takes %zu numbers, but a sample of %s has %zu", inputs, dataset->name,
                         dataset->features);
    if (outputs != (size_t)dataset->classes)
        return error_set(error, "the network has %zu outputs, but %s has %d classes", outputs, dataset->name,
                         dataset->classes);
    return true;
}

static bool
check_values(const Dataset *dataset, Error *error)
{
    for (size_t i = 0; i < dataset->count * dataset->features; i++)
        if (!isfinite(dataset->x[i]))
            return error_set(
                error,
                "%s: feature %zu of sample %zu (both counted from 0) is %g: training needs finite numbers, "
                "so repair or remove that sample",
                dataset->name, i % dataset->features, i / dataset->features, (double)dataset->x[i]);
    return true;
}

Trainer *
trainer_create(Net *net, const Dataset *dataset, const Split *split, const TrainOptions *options, Error *error)
{
    Batches batches;
    if (!check_options(options, split, error) || !check_shapes(net, dataset, error) || !check_values(dataset, error))
        return NULL;
    if (!batches_create(&batches, dataset, split->train, split->train_count, (size_t)options->batch, true,
                        options->drop_last, options->seed, error))
        return NULL;
    Trainer *trainer = ARRAY(Trainer, 1);
    *trainer = (Trainer){.net = net, .dataset = dataset, .split = split, .options = *options, .batches = batches};
    const int parts = options->micro_batches > 1 ? options->micro_batches : 1;
    RunOptions run = options->run;
    run.max_batch = (options->batch + parts - 1) / parts;
    run.accumulates |= parts > 1;
    trainer->run = run_create(net, &run);
    trainer->order_epoch = UINT64_MAX;
    trainer->steps_per_epoch = batches_per_epoch(&batches);
    trainer->optimizer =
        optimizer_create(net_backend(net), options->optimizer, options->optimizer_options, net_parameter_count(net));
    trainer->history = ARRAY(TrainEpoch, (size_t)options->epochs);
    return trainer;
}

void
trainer_free(Trainer *trainer)
{
    if (!trainer)
        return;
    batches_free(&trainer->batches);
    run_free(trainer->run);
    optimizer_free(trainer->optimizer);
    array_free(trainer->history);
    array_free(trainer);
}

uint64_t
trainer_steps_done(const Trainer *trainer)
{
    return trainer->position.epoch * trainer->steps_per_epoch + trainer->position.step;
}

uint64_t
trainer_steps_total(const Trainer *trainer)
{
    return (uint64_t)trainer->options.epochs * trainer->steps_per_epoch;
}

/* ---- one step ---- */

static double
largest_input(const float *x, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, fabs((double)x[i]));
    return largest;
}

/* The run has left the finite numbers in the step at `position`: says where, and what the likely cause is. */
static bool
refuse_divergence(const Trainer *trainer, const char *what, double value, size_t size, Error *error)
{
    const TrainPosition *at = &trainer->position;
    double largest = largest_input(trainer->batches.x, size * trainer->dataset->features);
    unsigned long long epoch = at->epoch + 1, step = trainer_steps_done(trainer) + 1;
    const char *number = isnan(value) ? "nan" : value > 0 ? "infinite" : "-infinite";
    if (largest > 1e3)
        return error_set(error,
                         "the %s became %s in step %llu (epoch %llu): the inputs are as large as %.3g, so normalise "
                         "them (to mean 0 and variance 1) and try again",
                         what, number, step, epoch, largest);
    const double rate = trainer->options.rate, usual = optimizer_usual_rate(trainer->options.optimizer);
    return error_set(error,
                     "the %s became %s in step %llu (epoch %llu): the learning rate %g is probably too high, so try %g",
                     what, number, step, epoch, rate, fmin(rate / 10, usual));
}

void
train_record(Trainer *trainer, const char *what, double start)
{
    if (trainer->trace)
        trace_span(trainer->trace, what, "train", trainer->process, 0, start, clock_now());
}

/* Samples first .. first + count - 1 of the batch. */
static Batch
part_of_batch(const Net *net, const Batch *batch, int first, int count)
{
    Batch part = *batch;
    part.size = count;
    part.first_sample += (uint64_t)first;
    part.x += (size_t)first * elements(net_input_shape(net));
    part.labels += batch->labels ? first : 0;
    part.targets += batch->targets ? (size_t)first * elements(net_output_shape(net)) : 0;
    return part;
}

double
train_gradient(Trainer *trainer, const TrainStep *step, double *backward)
{
    const int size = step->batch.size, wanted = trainer->options.micro_batches, parts = wanted > 1 ? wanted : 1;
    double loss = 0, start = clock_now();
    for (int i = 0; i < parts; i++) {
        const int first = (int)((int64_t)size * i / parts), end = (int)((int64_t)size * (i + 1) / parts);
        const RunGradients gradients = (i == 0 ? RUN_FIRST : 0) | (i == parts - 1 ? RUN_LAST : 0);
        const Batch batch = part_of_batch(trainer->net, &step->batch, first, end - first);
        const double share = (double)batch.size / step->whole;
        start = clock_now();
        if (batch.size == 0) {
            run_without_samples(trainer->run, gradients);
            continue;
        }
        loss += share * run_forward(trainer->run, &batch);
        train_record(trainer, "forward", start);
        start = clock_now();
        run_backward(trainer->run, (float)share, gradients);
        train_record(trainer, "backward", start);
    }
    if (backward)
        *backward = start;
    return loss;
}

/* Forward, backward, update: what all of training comes down to. */
void
train_alone(Trainer *trainer, TrainStep *step)
{
    Net *net = trainer->net;
    step->loss = train_gradient(trainer, step, NULL);
    const double start = clock_now();
    optimizer_step(trainer->optimizer, net_parameters(net), net_gradients(net), step->rate);
    train_record(trainer, "update", start);
}

/* Loads this process's part of the step's batch. */
static TrainStep
load_step(Trainer *trainer)
{
    const double start = clock_now();
    const size_t i = (size_t)trainer->position.step, whole = batches_rows(&trainer->batches, i);
    size_t first = 0, count = whole;
    if (trainer->team)
        trainer->team->part(trainer->team->context, whole, &first, &count);
    batches_load_part(&trainer->batches, i, first, count);
    train_record(trainer, "load", start);

    const uint64_t done = trainer_steps_done(trainer);
    return (TrainStep){
        .batch = {.size = (int)count,
                  .x = trainer->batches.x,
                  .labels = trainer->batches.labels,
                  .step = done,
                  .first_sample = first},
        .whole = (int)whole,
        .rate = schedule_rate(&trainer->options.schedule, trainer->options.rate, done, trainer_steps_total(trainer)),
        .stop = trainer->stop,
    };
}

/* The position after a step on `size` samples; at the end of an epoch, its entry in the history. */
static void
advance(Trainer *trainer, double loss, size_t size, double rate)
{
    TrainPosition *position = &trainer->position;
    position->loss_sum += loss * (double)size;
    position->seen += size;
    position->step++;
    const bool epoch_ended = position->step == trainer->steps_per_epoch;
    if ((epoch_ended || trainer->stop) && trainer->team && trainer->team->settle)
        trainer->team->settle(trainer->team->context, trainer);
    if (!epoch_ended)
        return;
    trainer->history[position->epoch] = (TrainEpoch){
        .loss = position->loss_sum / (double)position->seen,
        .validation = NAN,
        .rate = rate,
        .seconds = trainer->epoch_partial ? NAN : trainer->epoch_seconds,
    };
    *position = (TrainPosition){.epoch = position->epoch + 1};
    trainer->epoch_seconds = 0;
    trainer->epoch_partial = false;
}

/* After the epoch that has just ended. */
static void
validate(Trainer *trainer)
{
    double start = clock_now();
    const Split *split = trainer->split;
    Evaluation result = train_evaluate(trainer->net, trainer->dataset, split->validation, split->validation_count,
                                       trainer->options.batch);
    trainer->history[trainer->position.epoch - 1].validation = result.accuracy;
    train_record(trainer, "validate", start);
}

bool
trainer_step(Trainer *trainer, double *loss, Error *error)
{
    double start = clock_now();
    if (trainer->order_epoch != trainer->position.epoch) {
        batches_start_epoch(&trainer->batches, trainer->position.epoch);
        trainer->order_epoch = trainer->position.epoch;
    }
    TrainStep learned = load_step(trainer);
    const size_t size = (size_t)learned.whole;
    if (trainer->team)
        trainer->team->learn(trainer->team->context, trainer, &learned);
    else
        train_alone(trainer, &learned);
    *loss = learned.loss;
    trainer->stop = learned.stop;
    if (!isfinite(*loss))
        return refuse_divergence(trainer, "loss", *loss, (size_t)learned.batch.size, error);
    if (!net_backend(trainer->net)->all_finite(net_parameter_count(trainer->net), net_parameters(trainer->net)))
        return refuse_divergence(trainer, "value of a weight", NAN, (size_t)learned.batch.size, error);

    double seconds = clock_now() - start;
    trainer->seconds += seconds;
    trainer->epoch_seconds += seconds;
    trainer->samples += size;
    advance(trainer, *loss, size, learned.rate);
    if (trainer->position.step == 0 && trainer->split->validation_count > 0)
        validate(trainer);
    return true;
}

/* ---- the run ---- */

TrainEnd
trainer_run(Trainer *trainer, const TrainWatch *watch, Error *error)
{
    static const TrainWatch nobody = {0};
    watch = watch ? watch : &nobody;
    while (trainer->position.epoch < (uint64_t)trainer->options.epochs) {
        trainer->stop = watch->stop && *watch->stop;
        if (trainer->stop && !trainer->team)
            return TRAIN_STOPPED;
        double loss;
        if (!trainer_step(trainer, &loss, error))
            return TRAIN_FAILED;
        bool epoch_ended = trainer->position.step == 0;
        if (watch->step)
            watch->step(watch->context, trainer, loss);
        if (epoch_ended && watch->epoch && !watch->epoch(watch->context, trainer, error))
            return TRAIN_FAILED;
        if (trainer->team && trainer->stop)
            return TRAIN_STOPPED;
    }
    return TRAIN_DONE;
}
