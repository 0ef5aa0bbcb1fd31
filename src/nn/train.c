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
check_options(const TrainOptions *options, Error *error)
{
    if (options->epochs < 1)
        return error_set(error, "the number of epochs is %d, expected at least 1", options->epochs);
    if (!(options->rate > 0) || !isfinite(options->rate))
        return error_set(error, "the learning rate is %g, expected a number above 0", options->rate);
    if (options->micro_batches < 0 || options->micro_batches > options->batch)
        return error_set(error, "%d micro-batches of a batch of %d sample%s: expected 1 to %d", options->micro_batches,
                         options->batch, options->batch == 1 ? "" : "s", options->batch);
    return optimizer_options_check(&options->optimizer_options, error);
}

static bool
check_shapes(const Net *net, const Source *source, Error *error)
{
    Shape in = net_input_shape(net), out = net_output_shape(net);
    const size_t inputs = shape_elements(in), outputs = shape_elements(out);
    if (inputs != source->features)
        return error_set(error, "the network takes %zu numbers, but a sample of %s has %zu", inputs, source->name,
                         source->features);
    if (outputs != (size_t)source->classes)
        return error_set(error, "the network has %zu outputs, but %s has %d classes", outputs, source->name,
                         source->classes);
    return true;
}

RunOptions
train_run_options(const TrainOptions *options)
{
    const int parts = options->micro_batches > 1 ? options->micro_batches : 1;
    const int samples = options->part > 0 ? options->part : options->batch;
    RunOptions run = options->run;
    run.max_batch = (samples + parts - 1) / parts;
    run.accumulates |= parts > 1;
    return run;
}

static RunSegment *
copy_of_segments(const RunOptions *run)
{
    RunSegment *copy = ARRAY(RunSegment, (size_t)run->segments);
    if (run->segments > 0)
        memcpy(copy, run->recomputed, (size_t)run->segments * sizeof *copy);
    return copy;
}

Trainer *
trainer_create(Net *net, Source *training, Source *validation, const TrainOptions *options, Error *error)
{
    CHECK_THAT(training->steps > 0, "%s has no batch to train on", training->name);
    CHECK_THAT(training->batch == (size_t)options->batch, "batches of %zu, not of %d", training->batch, options->batch);
    if (!check_options(options, error) || !check_shapes(net, training, error))
        return NULL;
    Trainer *trainer = ARRAY(Trainer, 1);
    *trainer = (Trainer){.net = net, .training = training, .validation = validation, .options = *options};
    trainer->steps_per_epoch = training->steps;
    trainer->options.run.recomputed = copy_of_segments(&options->run);
    const RunOptions run = train_run_options(&trainer->options);
    trainer->run = net_is_whole(net) ? run_create(net, &run) : NULL;
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
    run_free(trainer->run);
    optimizer_free(trainer->optimizer);
    array_free(trainer->history);
    array_free((void *)trainer->options.run.recomputed);
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
    for (size_t i = 0; i < n; i++) { /* not fmax, which gcc 12 fails to compile in such a loop for AArch64 */
        const double magnitude = fabs((double)x[i]);
        largest = magnitude > largest ? magnitude : largest;
    }
    return largest;
}

/* The run has left the finite numbers in the step at `position`: says where, and what the likely cause is. */
static bool
refuse_divergence(const Trainer *trainer, const TrainStep *learned, const char *what, double value, Error *error)
{
    const TrainPosition *at = &trainer->position;
    double largest = largest_input(learned->batch.x, (size_t)learned->batch.size * trainer->training->features);
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

Batch
train_part_of_batch(const Net *net, const Batch *batch, int first, int count)
{
    Batch part = *batch;
    part.size = count;
    part.first_sample += (uint64_t)first;
    part.x += (size_t)first * shape_elements(net_input_shape(net));
    part.labels += batch->labels ? first : 0;
    part.targets += batch->targets ? (size_t)first * shape_elements(net_output_shape(net)) : 0;
    return part;
}

int
train_micro_batch(const TrainOptions *options, int slice, int i, int *first)
{
    const int parts = options->micro_batches > 1 ? options->micro_batches : 1;
    *first = (int)((int64_t)slice * i / parts);
    return (int)((int64_t)slice * (i + 1) / parts) - *first;
}

double
train_gradient(Trainer *trainer, const TrainStep *step, double *backward)
{
    const int wanted = trainer->options.micro_batches, parts = wanted > 1 ? wanted : 1;
    double loss = 0, start = clock_now();
    for (int i = 0; i < parts; i++) {
        int first;
        const int size = train_micro_batch(&trainer->options, step->batch.size, i, &first);
        const RunGradients gradients = (i == 0 ? RUN_FIRST : 0) | (i == parts - 1 ? RUN_LAST : 0);
        const Batch batch = train_part_of_batch(trainer->net, &step->batch, first, size);
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

/* Loads this process's slice of the global batch. If it fails the step says so, *error why. */
static TrainStep
load_step(Trainer *trainer, Error *error)
{
    const double start = clock_now();
    const TrainPosition *at = &trainer->position;
    Source *source = trainer->training;
    const size_t whole = source_rows(source, at->step);
    size_t first = 0, count = whole;
    if (trainer->group)
        trainer->group->part(trainer->group->context, whole, &first, &count);
    const bool failed = !source_load(source, at->epoch, at->step, first, count, error);
    train_record(trainer, "load", start);

    const uint64_t done = trainer_steps_done(trainer);
    return (TrainStep){
        .batch = {.size = failed ? 0 : (int)count,
                  .x = source->x,
                  .labels = source->labels,
                  .step = done,
                  .first_sample = first},
        .whole = (int)whole,
        .samples = (int)count,
        .rate = schedule_rate(&trainer->options.schedule, trainer->options.rate, done, trainer_steps_total(trainer)),
        .stop = trainer->stop,
        .failed = failed,
    };
}

/* A loss that is not a number, which all synchronous processes see: either one of them could not load its slice, for the reason
 * in *error, or the training diverges. */
static bool
refuse_loss(const Trainer *trainer, const TrainStep *learned, Error *error)
{
    const TrainGroup *group = trainer->group;
    if (group && group->in_step && !group->processes.agree(group->processes.context, !learned->failed, error))
        return false;
    return refuse_divergence(trainer, learned, "loss", learned->loss, error);
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
    if ((epoch_ended || trainer->stop) && trainer->group && trainer->group->synchronise)
        trainer->group->synchronise(trainer->group->context, trainer);
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
static bool
validate(Trainer *trainer, Error *error)
{
    double start = clock_now();
    Evaluation result;
    if (!trainer->validation || trainer->validation->samples == 0)
        return true;
    if (!train_evaluate(trainer->net, trainer->validation, trainer->group, &result, error))
        return false;
    trainer->history[trainer->position.epoch - 1].validation = result.accuracy;
    train_record(trainer, "validate", start);
    return true;
}

bool
trainer_step(Trainer *trainer, double *loss, Error *error)
{
    double start = clock_now();
    TrainStep learned = load_step(trainer, error);
    const size_t size = (size_t)learned.whole;
    if (learned.failed && !(trainer->group && trainer->group->in_step))
        return false;
    if (trainer->group)
        trainer->group->learn(trainer->group->context, trainer, &learned);
    else
        train_alone(trainer, &learned);
    *loss = learned.loss;
    trainer->stop = learned.stop;
    if (!isfinite(*loss))
        return refuse_loss(trainer, &learned, error);
    if (!net_backend(trainer->net)->all_finite(net_parameter_count(trainer->net), net_parameters(trainer->net)))
        return refuse_divergence(trainer, &learned, "value of a weight", NAN, error);

    double seconds = clock_now() - start;
    trainer->seconds += seconds;
    trainer->epoch_seconds += seconds;
    trainer->samples += size;
    advance(trainer, *loss, size, learned.rate);
    return trainer->position.step > 0 || validate(trainer, error);
}

/* ---- the run ---- */

TrainEnd
trainer_run(Trainer *trainer, const TrainWatch *watch, Error *error)
{
    static const TrainWatch nobody = {0};
    watch = watch ? watch : &nobody;
    while (trainer->position.epoch < (uint64_t)trainer->options.epochs) {
        trainer->stop = watch->stop && *watch->stop;
        if (trainer->stop && !trainer->group)
            return TRAIN_STOPPED;
        double loss;
        if (!trainer_step(trainer, &loss, error))
            return TRAIN_FAILED;
        bool epoch_ended = trainer->position.step == 0;
        if (watch->step)
            watch->step(watch->context, trainer, loss);
        if (epoch_ended && watch->epoch && !watch->epoch(watch->context, trainer, error))
            return TRAIN_FAILED;
        if (trainer->group && trainer->stop)
            return TRAIN_STOPPED;
    }
    return TRAIN_DONE;
}
